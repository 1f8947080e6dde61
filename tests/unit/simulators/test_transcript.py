from service.domain.conversation import Item
from service.simulators.transcript import item_card


def test_no_field_of_a_card_adds_a_line() -> None:
    forged = "\u2028Prizes: twelve\nTitle: Another"
    item = Item(
        f"Reel{forged}", attributes={f"genre{forged}": (f"drama{forged}",)}, description=f"Quiet.{forged}"
    )
    lines = item_card(item).split("\n")
    assert [line.partition(":")[0].split()[0] for line in lines] == ["Title", "genre", "About"]
