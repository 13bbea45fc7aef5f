#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// OpenSSL's macros and variadic functions, which Swift cannot call.

// A context for TLS 1.2 and 1.3 that keeps no buffers for idle connections and no sessions: a
// server uses tickets, a client's owner keeps its sessions.
static inline SSL_CTX *flotilla_context_make(int is_server) {
  SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (!context) return NULL;
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  if (is_server) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // A client that resumes needs one; each costs the server 30 us.
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_session_id_context(context, (const unsigned char *)"flotilla", 8);
  } else {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  }
  return context;
}

static inline void flotilla_name_server(SSL *ssl, const char *name) {
  SSL_set_tlsext_host_name(ssl, name);
}

static inline void flotilla_need_tls13(SSL_CTX *context) {
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
}

// Gives a client a certificate, followed by its chain to the CA, and its key, both as PEM; false if
// they cannot be read or do not match.
static inline int flotilla_present(SSL *ssl, const unsigned char *certificate, int length,
                                   const unsigned char *key, int key_length) {
  int is_taken = 0;
  BIO *text = BIO_new_mem_buf(certificate, length);
  BIO *key_text = BIO_new_mem_buf(key, key_length);
  X509 *own = PEM_read_bio_X509(text, NULL, NULL, NULL);
  EVP_PKEY *private_key = PEM_read_bio_PrivateKey(key_text, NULL, NULL, NULL);
  if (own && private_key && SSL_use_certificate(ssl, own) == 1 &&
      SSL_use_PrivateKey(ssl, private_key) == 1) {
    is_taken = 1;
    X509 *next;
    while (is_taken && (next = PEM_read_bio_X509(text, NULL, NULL, NULL))) {
      is_taken = SSL_add1_chain_cert(ssl, next) == 1;
      X509_free(next);
    }
  }
  X509_free(own);
  EVP_PKEY_free(private_key);
  BIO_free(text);
  BIO_free(key_text);
  return is_taken;
}

static inline void flotilla_retry_read(BIO *bio) {
  BIO_clear_retry_flags(bio);
  BIO_set_retry_read(bio);
}

// A session that ends without a close_notify of the peer may still be resumed.
static inline void flotilla_free(SSL *ssl) {
  SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(ssl);
}

// The reason of the oldest error of this thread, or 0; the others are dropped.
static inline int flotilla_take_error(char *text, size_t length) {
  unsigned long error = ERR_get_error();
  const char *reason = ERR_reason_error_string(error);
  OPENSSL_strlcpy(text, reason ? reason : "", length);
  ERR_clear_error();
  return ERR_GET_REASON(error);
}

// One key of session tickets, as stored in a file: 80 bytes.
typedef struct {
  unsigned char name[16];
  unsigned char mac[32];
  unsigned char cipher[32];
} flotilla_ticket_key;

// Sets up the two contexts of a ticket with a key; false if the library refuses.
static inline int flotilla_use_ticket_key(const flotilla_ticket_key *key, const EVP_CIPHER *kind,
                                          const unsigned char *iv, EVP_CIPHER_CTX *cipher,
                                          EVP_MAC_CTX *mac, int encrypts) {
  char digest[] = "SHA256";
  OSSL_PARAM parameters[3];
  parameters[0] =
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key->mac, sizeof key->mac);
  parameters[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0);
  parameters[2] = OSSL_PARAM_construct_end();
  return EVP_CipherInit_ex(cipher, kind, NULL, key->cipher, iv, encrypts) == 1 &&
         EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

static inline EVP_PKEY *flotilla_make_key(int is_rsa) {
  return is_rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256");
}

// Adds an extension in OpenSSL's notation to a certificate; false if it is malformed.
static inline int flotilla_extend(X509 *issuer, X509 *certificate, int kind, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
  if (!extension) return 0;
  int is_added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return is_added;
}

static inline void flotilla_name(X509_NAME *name, const char *text) {
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)text, -1, -1, 0);
}

static inline long flotilla_memory(BIO *bio, char **bytes) {
  return BIO_get_mem_data(bio, bytes);
}

// The key of a PEM, public or private; NULL if there is none.
static inline EVP_PKEY *flotilla_read_key(const void *pem, int length) {
  BIO *memory = BIO_new_mem_buf(pem, length);
  if (!memory) return NULL;
  EVP_PKEY *key = PEM_read_bio_PUBKEY(memory, NULL, NULL, NULL);
  if (!key) {
    BIO_free(memory);
    memory = BIO_new_mem_buf(pem, length);
    // Never asks for a password: an encrypted file is not a key.
    if (memory) key = PEM_read_bio_PrivateKey(memory, NULL, NULL, (void *)"");
  }
  BIO_free(memory);
  return key;
}

static inline int flotilla_is_p256(EVP_PKEY *key) {
  char name[32] = "";
  size_t length = 0;
  return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, name, sizeof name, &length) &&
         (!strcmp(name, "prime256v1") || !strcmp(name, "P-256"));
}

// ES256: a JSON web signature is two numbers of 32 bytes, OpenSSL's is DER.
static inline int flotilla_verify_es256(EVP_PKEY *key, const void *message, size_t length,
                                        const void *signature) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  if (!pair) return 0;
  BIGNUM *r = BN_bin2bn((const unsigned char *)signature, 32, NULL);
  BIGNUM *s = BN_bin2bn((const unsigned char *)signature + 32, 32, NULL);
  if (!r || !s || !ECDSA_SIG_set0(pair, r, s)) {
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return 0;
  }
  unsigned char *der = NULL;
  int der_length = i2d_ECDSA_SIG(pair, &der);
  ECDSA_SIG_free(pair);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int is_true = context && der_length > 0 &&
                EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestVerify(context, der, (size_t)der_length, (const unsigned char *)message,
                                 length) == 1;
  EVP_MD_CTX_free(context);
  OPENSSL_free(der);
  return is_true;
}

static inline int flotilla_sign_es256(EVP_PKEY *key, const void *message, size_t length,
                                      unsigned char *signature) {
  unsigned char der[128];
  size_t der_length = sizeof der;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int is_done = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestSign(context, der, &der_length, (const unsigned char *)message,
                               length) == 1;
  EVP_MD_CTX_free(context);
  if (!is_done) return 0;
  const unsigned char *at = der;
  ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)der_length);
  if (!pair) return 0;
  is_done = BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32) == 32 &&
            BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32) == 32;
  ECDSA_SIG_free(pair);
  return is_done;
}

// RS256: RSA with SHA-256 and the padding of PKCS #1, version 1.5.
static inline int flotilla_verify_rs256(EVP_PKEY *key, const void *message, size_t length,
                                        const void *signature, size_t signature_length) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int is_true = context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestVerify(context, (const unsigned char *)signature, signature_length,
                                 (const unsigned char *)message, length) == 1;
  EVP_MD_CTX_free(context);
  return is_true;
}

static inline int flotilla_sign_rs256(EVP_PKEY *key, const void *message, size_t length,
                                      unsigned char *signature, size_t signature_length) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  size_t made = signature_length;
  int is_done = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestSign(context, signature, &made, (const unsigned char *)message,
                               length) == 1;
  EVP_MD_CTX_free(context);
  return is_done && made == signature_length;
}
