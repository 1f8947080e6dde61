"""The page of factors says what their files say."""

from service.factors import load_factors
from tools.registry_pages import FACTORS_PAGE, registry_page


def test_every_deviation_of_every_factor_stands_on_the_page() -> None:
    page = registry_page(FACTORS_PAGE)
    assert page == FACTORS_PAGE.read_text()
    for factor in load_factors().values():
        for told in factor.deviations:
            assert f"| `{factor.slug}` | {told} |" in page
