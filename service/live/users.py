"""Users of live conversations: their ids are kept as keyed hashes alone."""

import hashlib
import hmac
from typing import Final, TypeVar

from ..store.conversations.protocol import USERS
from .wire import LivePost

_Post = TypeVar("_Post", bound=LivePost)


class NoUserKeyError(ValueError):
    """A user's id where no key is set."""

    def __init__(self) -> None:
        super().__init__("a user's id needs CRS_EVAL_LIVE_USER_KEY, by which it is hashed")


class UserKey:
    """Hashes ids of users by HMAC-SHA-256 with a secret; None: ids are refused."""

    def __init__(self, secret: str | None = None) -> None:
        self._secret = secret

    def hash(self, user: str) -> str:
        """Return `user-` and 64 hexadecimal digits; hashes as they are. Raises NoUserKeyError."""
        if USERS.fullmatch(user):
            return user
        if self._secret is None:
            raise NoUserKeyError
        return f"user-{hmac.digest(self._secret.encode(), user.encode(), hashlib.sha256).hex()}"

    def hide(self, post: _Post) -> _Post:
        """Return a post with the hash in place of its user's id. Raises NoUserKeyError."""
        if post.user is None or post.user.id is None:
            return post
        user = post.user.model_copy(update={"id": self.hash(post.user.id)})
        return post.model_copy(update={"user": user})


NO_KEY: Final = UserKey()
