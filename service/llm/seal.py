"""Signatures of what the cache keeps: whoever can write to a shared Redis cannot forge an answer."""

import hashlib
import hmac
from collections.abc import Sequence

LENGTH = hashlib.sha256().digest_size


class Seal:
    """Puts an HMAC-SHA-256 over key and value before each value. The first of `keys` signs, all of them verify, so
    that a key can be replaced while both are known. Without keys values stay as they are."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = tuple(keys)

    def close(self, key: str, value: bytes) -> bytes:
        """The value as it is kept under a key of the cache."""
        return self._mac(self._keys[0], key, value) + value if self._keys else value

    def open(self, key: str, kept: bytes) -> bytes | None:
        """The value that was kept under this very key; None where no key of ours signed it."""
        if not self._keys:
            return kept
        mac, value = kept[:LENGTH], kept[LENGTH:]
        if any(hmac.compare_digest(mac, self._mac(one, key, value)) for one in self._keys):
            return value
        return None

    def _mac(self, secret: bytes, key: str, value: bytes) -> bytes:
        return hmac.digest(secret, key.encode() + b"\0" + value, "sha256")
