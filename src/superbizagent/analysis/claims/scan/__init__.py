"""From text to mentions: what a sentence, Chinese or English, says that evidence can bear out."""
