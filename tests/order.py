"""The order of `make test`: the tests of a file stay together, so that what they share is started once. The longest files begin,
so that nobody waits for one of them at the end."""

from xdist.scheduler import LoadScopeScheduling

LONGEST = """pages/test_pages integration/test_memory attacks/test_embedded_judge browser/test_looks linear/test_patterns chaos/test_chaos
api/test_contract chaos/test_redis integration/test_studies integration/test_workers integration/judges/test_llm_judge_faults
integration/llm/test_stack integration/test_provider_batch integration/test_example_crs integration/live/test_follow clients/test_java
clients/test_python integration/test_gate browser/test_compare linear/test_functions integration/live/test_soak attacks/test_prompts clients/test_go browser/test_live
integration/test_batch_http integration/test_llm_service browser/test_score browser/test_troubles integration/test_command_line
integration/test_http_edge""".split()  # noqa: SIM905 - a list of words reads best as prose
"""Files that take over 25 seconds on two cores, the longest first. One that is missing here costs time, and nothing else."""

SINGLE = frozenset({"pages/test_pages", "integration/test_memory", "attacks/test_embedded_judge"})
"""Files whose tests share nothing, and may be parted."""


def file_of(nodeid: str) -> str:
    """A test's file below `tests`, without its ending."""
    return nodeid.partition("::")[0].removeprefix("tests/").removesuffix(".py")


def place(nodeid: str) -> int:
    """Return the place of a test's file: those that are not named come last, in the order in which they are found."""
    name = file_of(nodeid)
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    """Hands out whole files in the order in which they were collected, and single tests of those in `SINGLE`."""

    def _split_scope(self, nodeid: str) -> str:
        name = file_of(nodeid)
        return nodeid if name in SINGLE else name
