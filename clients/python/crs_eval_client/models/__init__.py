"""Contains all the data models used in inputs/outputs"""

from .cache_mode import CacheMode
from .domain_note import DomainNote
from .evidence import Evidence
from .factor_info import FactorInfo
from .factor_score_request import FactorScoreRequest
from .factors_answer import FactorsAnswer
from .flag import Flag
from .grouping import Grouping
from .health import Health
from .item import Item
from .item_attributes_type_0 import ItemAttributesType0
from .judge_ref import JudgeRef
from .ladder_info import LadderInfo
from .ladder_step import LadderStep
from .layout import Layout
from .level import Level
from .list_source import ListSource
from .log import Log
from .log_metadata_type_0 import LogMetadataType0
from .message import Message
from .message_metadata_type_0 import MessageMetadataType0
from .notice import Notice
from .outcome import Outcome
from .problem import Problem
from .problem_error import ProblemError
from .readiness import Readiness
from .reason import Reason
from .role import Role
from .sample_info import SampleInfo
from .scale import Scale
from .score_answer import ScoreAnswer
from .score_problem import ScoreProblem
from .score_request import ScoreRequest
from .seen_item import SeenItem
from .status import Status
from .summary import Summary
from .summary_dimensions import SummaryDimensions
from .turn_score import TurnScore
from .usage import Usage
from .user import User
from .verdict import Verdict

__all__ = (
    "CacheMode",
    "DomainNote",
    "Evidence",
    "FactorInfo",
    "FactorsAnswer",
    "FactorScoreRequest",
    "Flag",
    "Grouping",
    "Health",
    "Item",
    "ItemAttributesType0",
    "JudgeRef",
    "LadderInfo",
    "LadderStep",
    "Layout",
    "Level",
    "ListSource",
    "Log",
    "LogMetadataType0",
    "Message",
    "MessageMetadataType0",
    "Notice",
    "Outcome",
    "Problem",
    "ProblemError",
    "Readiness",
    "Reason",
    "Role",
    "SampleInfo",
    "Scale",
    "ScoreAnswer",
    "ScoreProblem",
    "ScoreRequest",
    "SeenItem",
    "Status",
    "Summary",
    "SummaryDimensions",
    "TurnScore",
    "Usage",
    "User",
    "Verdict",
)
