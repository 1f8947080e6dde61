"""Check at startup that Redis's settings make it keep its data; have it purge deleted data from its file."""

from typing import TYPE_CHECKING, Final

import structlog
from redis.exceptions import NoPermissionError, ResponseError

from ...errors import ConfigurationError

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = structlog.get_logger("crs_eval.live")
WANTED: Final = {
    "appendonly": ("yes", "it would lose all open conversations with a restart"),
    "appendfsync": ("always", "it would lose what it had acknowledged with a crash"),
    "maxmemory-policy": ("noeviction", "it could drop open conversations when its memory is full"),
}


async def check(redis: "Redis") -> None:
    """Raise ConfigurationError where Redis could lose what it acknowledged, or does not say."""
    try:
        found = {
            name: (await redis.config_get(name)).get(name) for name in WANTED
        }  # Redis 6 takes one at a time
    except (NoPermissionError, ResponseError) as error:
        raise ConfigurationError(
            "CRS_EVAL_LIVE_REDIS_URL: this Redis does not tell its settings (CONFIG GET), so it is unknown whether it keeps "
            "conversations. Allow the command to this user, or set CRS_EVAL_LIVE_REDIS_UNCHECKED=true once you have looked"
        ) from error
    wrong = [
        f"{name} is {found[name]!r}, not {value!r}: {loss}"
        for name, (value, loss) in WANTED.items()
        if found[name] != value
    ]
    if wrong:
        raise ConfigurationError(
            f"CRS_EVAL_LIVE_REDIS_URL: this Redis cannot store open conversations safely. {'; '.join(wrong)}. "
            "Use a separate Redis for crs-eval live, not that of CRS_EVAL_REDIS_URL"
        )


async def rewrite(redis: "Redis") -> bool:
    """Have Redis rewrite its append-only file, which holds what was deleted. False where it is at an earlier rewrite: ask again."""
    try:
        await redis.bgrewriteaof()
    except ResponseError as error:
        if "in progress" in str(error):
            return False
        log.warning(
            "file_not_rewritten", reason=str(error), remedy="allow BGREWRITEAOF, or rewrite it yourself"
        )
    return True
