"""Sends through Firebase Cloud Messaging with Google's own library.

fcm_sender.py URL ACCOUNT TOKENS [once | android]

Every phone of the list gets a message, by HTTP/1.1 one after the other and by HTTP/2 at once, or
with `once` and `android` by the latter alone. Prints what each kind of message came to. `android`
sends the kinds for Android phones, of which the last phone of the list is one.
"""
import asyncio
import collections
import csv
import sys

import firebase_admin
from firebase_admin import credentials, exceptions, messaging

url, account, tokens = sys.argv[1:4]
# Google's address stands in the class: this line points it elsewhere.
messaging._MessagingService.FCM_URL = url + "/v1/projects/{0}/messages:send"
app = firebase_admin.initialize_app(credentials.Certificate(account))
tokens = [row["token"] for row in csv.DictReader(open(tokens))]


def message(token, priority="5", kind="background", **payload):
    return messaging.Message(
        token=token,
        apns=messaging.APNSConfig(
            headers={"apns-push-type": kind, "apns-priority": priority},
            payload=messaging.APNSPayload(aps=messaging.Aps(content_available=True), **payload),
        ),
    )


def result(message, **more):
    try:
        return "sent" if messaging.send(message, **more).startswith("projects/") else "?"
    except exceptions.FirebaseError as error:
        reason = ""
        if error.http_response is not None:
            for detail in error.http_response.json()["error"].get("details", []):
                reason = detail.get("reason", reason)
        return f"{type(error).__name__} {error.code} {reason}".strip()


def android(**config):
    return messaging.Message(
        token=tokens[-1], data={"a": "b"}, android=messaging.AndroidConfig(**config))


if sys.argv[4:]:
    answers = asyncio.run(messaging.send_each_async([message(token) for token in tokens]))
    print("at once", answers.success_count, answers.failure_count)
    if sys.argv[4:] == ["once"]:
        sys.exit()
    print("android", result(android(
        priority="high", ttl=3.5, collapse_key="position", data={"c": "d"}, direct_boot_ok=True,
        restricted_package_name="org.example.tracker",
        fcm_options=messaging.AndroidFCMOptions(analytics_label="a"),
        notification=messaging.AndroidNotification(title="a", sticky=True, priority="low"))))
    print("normal", result(android(priority="normal", ttl=0)))
    print("lifetime", result(android(ttl=29 * 86_400)))
    print("package", result(android(restricted_package_name="org.example.other")))
    # The library refuses another priority by itself: this line puts one into the request.
    encode = messaging._MessagingService.encode_message
    messaging._MessagingService.encode_message = lambda message: {
        **encode(message), "android": {"priority": "urgent"}}
    print("priority", result(android()))
    sys.exit()
results = {token: result(message(token)) for token in tokens}
for text, count in sorted(collections.Counter(results.values()).items()):
    print("one by one", count, text)
answers = asyncio.run(messaging.send_each_async([message(token) for token in tokens]))
print("at once", answers.success_count, answers.failure_count)
tokens = [token for token in tokens if results[token] == "sent"]
print("validated", result(message(tokens[0]), dry_run=True))
print("odd token", result(message("odd")))
print("urgent", result(message(tokens[0], "10")))
print("too large", result(message(tokens[0], custom_data={"a": "b" * 5000})))
print("alert", result(messaging.Message(
    token=tokens[0], notification=messaging.Notification(title="a", body="b"))))
print("data", result(messaging.Message(token=tokens[1], data={"a": "b"})))
print("topic", result(messaging.Message(topic="all", data={"a": "b"})))
other = firebase_admin.initialize_app(
    credentials.Certificate(account), {"projectId": "another"}, "other")
print("project", result(message(tokens[0]), app=other))
