"""Whether one word is another, misspelt."""

FAR = 3  # more than any slip of the pen


def distance(word: str, other: str) -> int:
    """How many letters are missing, extra, wrong or swapped with the next one (optimal string alignment distance); FAR
    where the lengths differ by more than two."""
    if abs(len(word) - len(other)) >= FAR:
        return FAR
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == wanted:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def is_slip(wrong: str, right: str) -> bool:
    """Whether a word is another one but for capitals, or for two letters at most; of a short one, for one letter."""
    most = 2 if min(len(wrong), len(right)) > 5 else 1
    return wrong.lower() == right.lower() or distance(wrong, right) <= most
