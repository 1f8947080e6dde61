import pytest

from service.catalogue.title_guesses import guess_titles


def guessed(text: str) -> list[str]:
    guesses = guess_titles(text)
    assert all(text[guess.start : guess.end] == guess.surface for guess in guesses)
    return [guess.surface for guess in guesses]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("How about Luigi's Trattoria?", ["Luigi's Trattoria"]),
        ('Read "The Night Garden" first.', ["The Night Garden"]),
        ("I recommend Moonfall (2010) and The Keep (2006).", ["Moonfall", "The Keep"]),
        ("Yes Moonfall (2010)", ["Moonfall"]),
        ("Mr. Marsh (2002)", ["Mr. Marsh"]),
        ("Have you seen Pride and Lanterns or The Glass Harbour?", ["Pride and Lanterns", "The Glass Harbour"]),
        ("You might like Kind of Amber by Ada Marsh", ["Kind of Amber"]),
        ("You could listen to Led by Me", ["Led by Me"]),
        ("1. Blade of Dawn (1982) - great\n2. Olive Court: nice pasta\n3. Great food", ["Blade of Dawn", "Olive Court"]),
        ("You might like **Norwegian Lanterns**, I think", ["Norwegian Lanterns"]),
        ("There's Moonrise, The Iron Meadow, and Zanzibar", ["Moonrise", "The Iron Meadow", "Zanzibar"]),
        ("Also Delta Road and Omega Wind (1999).", ["Delta Road", "Omega Wind"]),
        ("Try Blue Kite, Delta Road or Omega Wind (1999)!", ["Blue Kite", "Delta Road", "Omega Wind"]),
        ("Delta Road and Omega Wind are great.", ["Delta Road", "Omega Wind"]),
        ("I recommend Delta Road and The Omega Wind.", ["Delta Road", "The Omega Wind"]),
        ("Pride and Lanterns (2005), Fat Moth and the Flame (1990)", ["Pride and Lanterns", "Fat Moth and the Flame"]),
        ('Try "Delta Road and Omega Wind (1999)".', ["Delta Road and Omega Wind"]),
        ("Tom Marsh and Ada Lindqvist are great. Delta Road and Omega Wind are great directors.", []),
        ("How about the Sony WH-1000XM5?", ["Sony WH-1000XM5"]),
        ("I would go for the Kettler Moonrise 3S or a Bryndal QuietLine.", ["Kettler Moonrise 3S", "Bryndal QuietLine"]),
        ("You could get the iPhone 15 Pro. Have you seen the Hangover?", ["iPhone 15 Pro", "Hangover"]),
        ("How about the Sony headphones, the Jim Marsh one or the 9th?", []),
        ("There is an Omega Airlines flight. Try the Italian place.", []),
        ("have you seen it? It is great. There is no way.", []),
        ("How about Italian food? Try Netflix.", []),
        ("What about Ada Marsh movies", []),
        ('he said "no way" and "I am not so sure"', []),
        ("I like It and Her, and you?", []),
        ("Hello! How are you? My name is Jim.", []),
        ("I recommend something with Action and Comedy", []),
        ("Try it. Watch out! Would you like Some tea?", []),
        ("", []),
    ],
)  # fmt: skip
def test_guesses_are_what_the_text_marks(text: str, titles: list[str]) -> None:
    assert guessed(text) == titles
