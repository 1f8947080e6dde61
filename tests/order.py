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


NIGHTLY = """
api/test_panels::test_the_papers_mixture_is_a_preset
attacks/test_embedded_judge::test_no_attempt_that_is_seen_lifts_a_score_by_more_than_a_quarter[sample-assistant]
attacks/test_embedded_judge::test_they_are_seen_amid_other_words[Try
attacks/test_embedded_judge::test_they_are_seen_amid_other_words[{}
browser/test_compare::test_five_hundred_conversations
browser/test_long_text::test_a_long_text_is_pasted_dragged_and_typed_into_without_a_long_task[Compare]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[compared-1440]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[compared-390]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[debated-390]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[examined-390]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[kept-390]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[labelled-390]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[refused-390]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[simulated-390]
browser/test_looks::test_every_view_shows_what_it_should_and_reads_well[unusual-390]
chaos/test_chaos::test_a_storm_at_the_provider[all at once]
chaos/test_chaos::test_a_storm_at_the_provider[quick failures]
chaos/test_redis::
clients/test_go::test_vet_finds_nothing
clients/test_java::test_maven_builds_it_from_its_pom
clients/test_python::test_the_journey[aio]
clients/test_typescript_built::test_publint_and_attw_find_nothing
clients/test_typescript_built::test_the_folder_of_a_checkout_installs_in_another_project
golden/test_contrasts::test_most_better_recommenders_are_ranked_above_the_worse
integration/live/test_compose::test_prometheus_reads_both
integration/live/test_soak::test_every_conversation_is_in_the_table_once_whatever_fails
integration/llm/test_stack::test_a_holder_that_is_killed_delays_the_others_by_less_than_a_second
integration/test_action_install::test_the_install_step_gives_a_command_that_decides
integration/test_additions::test_the_additions_meet_what_is_demanded_of_all
integration/test_example_crs::test_a_weakness_is_visible_in_the_verdicts
integration/test_memory::
integration/test_planted_faults::test_the_gate_names_every_fault_of_the_list
integration/test_provider_batch::test_a_killed_run_pays_for_no_prompt_twice[openai-200]
integration/test_provider_batch::test_entries_that_fail_are_told_and_asked_for_again[anthropic]
integration/test_studies::test_a_failed_session_is_no_zero_and_is_played_again[alignment]
integration/test_studies::test_a_failed_session_is_no_zero_and_is_played_again[concept]
integration/test_studies::test_a_failed_session_is_no_zero_and_is_played_again[ievalm]
integration/test_studies::test_a_failed_session_is_no_zero_and_is_played_again[pepper]
integration/test_studies::test_a_killed_study_goes_on_and_pays_twice_for_calls_under_way_alone[alignment]
integration/test_studies::test_a_killed_study_goes_on_and_pays_twice_for_calls_under_way_alone[concept]
integration/test_studies::test_a_killed_study_goes_on_and_pays_twice_for_calls_under_way_alone[core]
integration/test_studies::test_a_killed_study_goes_on_and_pays_twice_for_calls_under_way_alone[pepper]
integration/test_studies::test_concept_plays_personas_of_ones_own_in_the_papers_reading
integration/test_studies::test_concept_with_the_embedded_judge_alone_and_from_its_logs
integration/test_studies::test_conversations_of_elsewhere_take_the_place_of_sessions[ievalm]
integration/test_studies::test_conversations_of_elsewhere_take_the_place_of_sessions[pepper]
integration/test_studies::test_pepper_with_the_embedded_judge_alone
integration/test_studies::test_simulated_users_mind_planted_faults
integration/test_workers::test_probes
linear/test_functions::test_reading_takes_linear_time[steering]
linear/test_patterns::test_no_pattern_grows_faster_than_its_text[/usr
pages/test_notebooks::test_a_notebook_runs[calibrate]
pages/test_notebooks::test_a_notebook_runs[compare-systems]
pages/test_notebooks::test_a_notebook_runs[paper-table]
pages/test_pages::test_what_a_page_shows_is_so[docs/access-and-limits.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/agents.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/comparison.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/custom-factors.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/exam.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/labelling.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/live.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/push.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/studies.md]
pages/test_pages::test_what_a_page_shows_is_so[docs/ways-of-judging.md]
pages/test_pages::test_what_a_page_shows_is_so[examples/crs/README.md]
pages/test_pages::test_what_a_page_shows_is_so[examples/live/README.md]
research/test_calibration::
research/test_corpus::test_a_reply_alone_and_its_length_give_little_away
unit/encoder/test_tokenizer::test_every_settled_character_is_cut_as_by_the_reference
unit/live/test_drift::test_a_system_that_sways_as_real_ones_do_gives_no_alarm_and_a_drop_does
""".split("\n")[1:-1]  # noqa: SIM905 - one name a line
"""Tests that `make test-nightly` alone runs, by how their names begin. Each takes seconds; for most of them a quicker one of
their kind stays in the gate."""


def is_nightly(nodeid: str) -> bool:
    """Return whether a test runs at night alone."""
    file, _, name = nodeid.partition("::")
    return f"{file_of(file)}::{name}".startswith(tuple(NIGHTLY))


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
