"""Parts that several studies share: sessions, judging, debates, agreement."""
