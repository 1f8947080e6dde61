"""Every name that telemetry sends out: spans, metrics, attributes, events.

The names for generative AI follow OpenTelemetry's GenAI semantic conventions. These have left the main conventions for a
repository of their own and still change: the SDK's constants for them are deprecated, so they stand here, and a change of theirs
is a change of this module alone. Names that begin with `crs_eval.` are ours."""

from typing import Final

SERVICE: Final = "crs-eval"
SCOPE: Final = "crs_eval"

# Resource
SERVICE_NAME: Final = "service.name"
SERVICE_VERSION: Final = "service.version"
SERVICE_INSTANCE: Final = "service.instance.id"

# HTTP (stable conventions)
HTTP_DURATION: Final = "http.server.request.duration"
HTTP_ACTIVE: Final = "http.server.active_requests"
HTTP_METHOD: Final = "http.request.method"
HTTP_ROUTE: Final = "http.route"
HTTP_STATUS: Final = "http.response.status_code"
ERROR_TYPE: Final = "error.type"
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"
REQUEST_ID: Final = "crs_eval.request_id"

# Calls of models (GenAI conventions, in development)
CHAT: Final = "chat"
CALL_DURATION: Final = "gen_ai.client.operation.duration"
TOKEN_USAGE: Final = "gen_ai.client.token.usage"  # noqa: S105 - tokens of text
OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_TEMPERATURE: Final = "gen_ai.request.temperature"
REQUEST_MAX_TOKENS: Final = "gen_ai.request.max_tokens"
REQUEST_SEED: Final = "gen_ai.request.seed"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105 - tokens of text
COST: Final = "crs_eval.upstream.cost"

# Evaluations (GenAI conventions, in development)
EVALUATION_EVENT: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
EVALUATION_SCORE: Final = "gen_ai.evaluation.score.value"
EVALUATION_LABEL: Final = "gen_ai.evaluation.score.label"
CONVERSATION: Final = "gen_ai.conversation.id"

# Verdicts
VERDICTS: Final = "crs_eval.verdicts"
SCORE_SUM: Final = "crs_eval.scores"
FAULTS: Final = "crs_eval.faults"
FAULT: Final = "fault"
CERTAIN: Final = "certain"
FACTOR: Final = "factor"
SYSTEM: Final = "system"
JUDGE: Final = "judge"
COMPLETE: Final = "complete"
STATUS: Final = "status"
LEVEL: Final = "level"
REVISION: Final = "crs_eval.evaluator_revision"
CACHED: Final = "crs_eval.cached"
FAULT_LIST: Final = "crs_eval.faults"
COMPLETE_LOG: Final = "crs_eval.complete"
VERDICT_STATUS: Final = "crs_eval.status"
CONVERSATION_REVISION: Final = "crs_eval.conversation.revision"
SCALE_MIN: Final = "crs_eval.scale.min"
SCALE_MAX: Final = "crs_eval.scale.max"

# Activity inside
LOOKUPS: Final = "crs_eval.cache.lookups"
RESULT: Final = "result"
SAVED_TOKENS: Final = "crs_eval.cache.saved_tokens"
SHARED_CALLS: Final = "crs_eval.upstream.shared"
RETRIES: Final = "crs_eval.upstream.retries"
IN_FLIGHT: Final = "crs_eval.upstream.in_flight"
QUEUED: Final = "crs_eval.upstream.queued"
BUDGET_EVENTS: Final = "crs_eval.upstream.budget.events"
TURNED_AWAY: Final = "crs_eval.requests.turned_away"
REASON: Final = "reason"
STORE_EVENTS: Final = "crs_eval.store.events"
EVENT: Final = "event"
STORE_DOWN: Final = "crs_eval.store.down"
STORE_BYTES: Final = "crs_eval.store.size"
