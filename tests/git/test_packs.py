"""A store that was fetched into again and again: its packs stay few, and who reads meanwhile finds everything."""

import os
from pathlib import Path

from healing.git import Git
from healing.git.packs import LIMIT, merge_packs
from healing.git.transport import open_local
from tests.git.oracle import commit_files, git, new_clone


# WT-2
def test_packs_stay_few_and_nothing_is_lost_to_anyone_who_has_the_store_open(store: Git, tmp_path: Path) -> None:
    heads = [new_clone(tmp_path / "clone", {f"d/{n}.txt": b"%d\n" % n for n in range(20)})]
    heads += [commit_files(tmp_path / "clone", {"a.txt": b"%d\n" % n}) for n in range(LIMIT + 6)]
    packs = store.path / "objects" / "pack"
    before = len(os.listdir("/proc/self/fd"))
    with Git.open(store.path) as reader:
        for number, head in enumerate(heads):
            store.fetch(open_local(tmp_path / "clone"), [head])
            assert len(list(packs.glob("*.pack"))) <= LIMIT + 1
            if number == LIMIT // 2:
                assert reader.view(head).read("d/3.txt") == b"3\n"
        for number, head in enumerate(heads[1:]):
            for each in (store, reader):
                assert each.view(head).read("a.txt") == b"%d\n" % number
                assert each.view(head).read("d/7.txt") == b"7\n"
    assert len(os.listdir("/proc/self/fd")) - before < 8 * LIMIT
    git(store.path, "fsck", "--connectivity-only", "--no-dangling")
    merge_packs(store.path)  # a second time there is nothing to do
    assert store.view(heads[0]).read("d/1.txt") == b"1\n"
