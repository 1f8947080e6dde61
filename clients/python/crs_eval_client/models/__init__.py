"""Contains all the data models used in inputs/outputs"""

from .abilities import Abilities
from .ability_part import AbilityPart
from .ability_score import AbilityScore
from .ability_score_group import AbilityScoreGroup
from .agreement_answer import AgreementAnswer
from .agreement_interval import AgreementInterval
from .agreement_request import AgreementRequest
from .agreement_request_scales_type_0 import AgreementRequestScalesType0
from .agreement_row import AgreementRow
from .batch_line import BatchLine
from .batch_line_body import BatchLineBody
from .batch_result import BatchResult
from .batch_result_body import BatchResultBody
from .budget import Budget
from .cache_mode import CacheMode
from .debate_answer import DebateAnswer
from .debate_failure import DebateFailure
from .debate_problem import DebateProblem
from .debate_request import DebateRequest
from .debate_request_judges_type_0 import DebateRequestJudgesType0
from .debate_result import DebateResult
from .domain_note import DomainNote
from .evaluate_answer import EvaluateAnswer
from .evaluate_request import EvaluateRequest
from .evaluate_request_judges_type_0 import EvaluateRequestJudgesType0
from .evidence import Evidence
from .factor_info import FactorInfo
from .factor_score_request import FactorScoreRequest
from .factors_answer import FactorsAnswer
from .figure_unit import FigureUnit
from .flag import Flag
from .grouping import Grouping
from .health import Health
from .interval import Interval
from .item import Item
from .item_attributes_type_0 import ItemAttributesType0
from .item_taste import ItemTaste
from .judge_ref import JudgeRef
from .label import Label
from .ladder_info import LadderInfo
from .ladder_step import LadderStep
from .layout import Layout
from .level import Level
from .list_source import ListSource
from .log import Log
from .log_metadata_type_0 import LogMetadataType0
from .matching import Matching
from .message import Message
from .message_metadata_type_0 import MessageMetadataType0
from .metric import Metric
from .metric_row import MetricRow
from .metric_row_group import MetricRowGroup
from .metrics_answer import MetricsAnswer
from .metrics_request import MetricsRequest
from .notice import Notice
from .outcome import Outcome
from .over import Over
from .problem import Problem
from .problem_error import ProblemError
from .profile_answer import ProfileAnswer
from .profile_request import ProfileRequest
from .rater_kind import RaterKind
from .rating import Rating
from .readiness import Readiness
from .reason import Reason
from .reply import Reply
from .reply_pair import ReplyPair
from .review import Review
from .rewording import Rewording
from .role import Role
from .role_request import RoleRequest
from .round_ import Round
from .sample_info import SampleInfo
from .scale import Scale
from .scope import Scope
from .score_answer import ScoreAnswer
from .score_problem import ScoreProblem
from .score_request import ScoreRequest
from .seen_item import SeenItem
from .session_log import SessionLog
from .session_log_metadata_type_0 import SessionLogMetadataType0
from .simulate_answer import SimulateAnswer
from .simulate_request import SimulateRequest
from .simulator import Simulator
from .simulator_type import SimulatorType
from .speech_reason import SpeechReason
from .speech_status import SpeechStatus
from .statement import Statement
from .statistic import Statistic
from .status import Status
from .summary import Summary
from .summary_dimensions import SummaryDimensions
from .turn_score import TurnScore
from .unit import Unit
from .usage import Usage
from .user import User
from .verdict import Verdict
from .view import View
from .worded_reply import WordedReply

__all__ = (
    "Abilities",
    "AbilityPart",
    "AbilityScore",
    "AbilityScoreGroup",
    "AgreementAnswer",
    "AgreementInterval",
    "AgreementRequest",
    "AgreementRequestScalesType0",
    "AgreementRow",
    "BatchLine",
    "BatchLineBody",
    "BatchResult",
    "BatchResultBody",
    "Budget",
    "CacheMode",
    "DebateAnswer",
    "DebateFailure",
    "DebateProblem",
    "DebateRequest",
    "DebateRequestJudgesType0",
    "DebateResult",
    "DomainNote",
    "EvaluateAnswer",
    "EvaluateRequest",
    "EvaluateRequestJudgesType0",
    "Evidence",
    "FactorInfo",
    "FactorsAnswer",
    "FactorScoreRequest",
    "FigureUnit",
    "Flag",
    "Grouping",
    "Health",
    "Interval",
    "Item",
    "ItemAttributesType0",
    "ItemTaste",
    "JudgeRef",
    "Label",
    "LadderInfo",
    "LadderStep",
    "Layout",
    "Level",
    "ListSource",
    "Log",
    "LogMetadataType0",
    "Matching",
    "Message",
    "MessageMetadataType0",
    "Metric",
    "MetricRow",
    "MetricRowGroup",
    "MetricsAnswer",
    "MetricsRequest",
    "Notice",
    "Outcome",
    "Over",
    "Problem",
    "ProblemError",
    "ProfileAnswer",
    "ProfileRequest",
    "RaterKind",
    "Rating",
    "Readiness",
    "Reason",
    "Reply",
    "ReplyPair",
    "Review",
    "Rewording",
    "Role",
    "RoleRequest",
    "Round",
    "SampleInfo",
    "Scale",
    "Scope",
    "ScoreAnswer",
    "ScoreProblem",
    "ScoreRequest",
    "SeenItem",
    "SessionLog",
    "SessionLogMetadataType0",
    "SimulateAnswer",
    "SimulateRequest",
    "Simulator",
    "SimulatorType",
    "SpeechReason",
    "SpeechStatus",
    "Statement",
    "Statistic",
    "Status",
    "Summary",
    "SummaryDimensions",
    "TurnScore",
    "Unit",
    "Usage",
    "User",
    "Verdict",
    "View",
    "WordedReply",
)
