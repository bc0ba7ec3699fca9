"""Reviews, self-play, matches and tuning of Kifuwarabe UEC14 on many machines, with Ray."""
