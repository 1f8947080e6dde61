import pytest

from service.text.negation import rules_out

OUT = """
A film for tonight, anything but {}.
I like everything except {}
We're fed up with {}.
My sister can't watch {}.
A comedy rather than {} tonight
The kids are not into {}.
Skip the {}.
A {}-free evening, please?
please, absolutely no {}
no more {} for me
we never do {}
{} is off the table
{} isn't our thing
I can't stand {}
not in the mood for {} today
something without any {}
leave out the {}
I've had enough of {}
no war, no {}
I'd prefer not to see {}
{} gives my dad nightmares
neither war nor {}
steer clear of {} please
she despises {}
I am not really a fan of {}
""".strip().splitlines()

IN = """
a {} film please
not only {}
why not {}?
I wouldn't mind {}
nothing against {}
nothing but {}
I can't get enough of {}
No, {}
not a drama, rather a {}
I don't like comedies but I love {}
don't you have any {}?
not too long, {}
I haven't seen {} in ages
I'm tired of action, give me {}
no idea, maybe {}
we never get bored of {}
I don't like war films. {} then
a comedy is too tame so {}
{} without gore
I'm not picky, {} is fine
It doesn't seem to be {}
""".strip().splitlines()


@pytest.mark.parametrize("wording", OUT)
def test_a_wording_rules_a_value_out(wording: str) -> None:
    for value in ("horror", "peanut butter"):
        start = wording.index("{}")
        assert rules_out(wording.format(value), start, start + len(value))


@pytest.mark.parametrize("wording", IN)
def test_a_wording_leaves_a_value_in(wording: str) -> None:
    for value in ("horror", "peanut butter"):
        start = wording.index("{}")
        assert not rules_out(wording.format(value), start, start + len(value))
