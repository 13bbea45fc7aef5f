#pragma once
// Literal compression can only be set by a parameter that zstd calls experimental; its name is a
// macro of the static API, its value has not changed since 1.3.8. A library that refuses it keeps
// the default.
#define ZSTD_STATIC_LINKING_ONLY
// Training with trial parameters is also called experimental.
#define ZDICT_STATIC_LINKING_ONLY
#include <zdict.h>
#include <zstd.h>

static inline size_t flotilla_zstd_literals_off(ZSTD_CCtx *context) {
  return ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode, ZSTD_ps_disable);
}

// Macros of zstd.h that Swift does not import.
static const unsigned long long flotilla_zstd_size_unknown = ZSTD_CONTENTSIZE_UNKNOWN;
static const unsigned long long flotilla_zstd_size_error = ZSTD_CONTENTSIZE_ERROR;
