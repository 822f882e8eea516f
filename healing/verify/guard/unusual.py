"""Rule: flags means that a fix hardly ever needs but that a cheat often uses.

They are recognised by words in every language, so that neither the parser nor the idiom has to be known: state of the
process that a test run changes, objects that define what they are equal to, hooks into how a run ends, code and values
that are not spelled out.
"""

from collections import Counter
from collections.abc import Iterator

from healing.model import Category
from healing.patterns import LazyPattern
from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file
from healing.verify.guard.reading.text import any_of, is_prose, plain

RULE = "unusual"
MEANS: dict[str, LazyPattern] = {
    "reads state of the process that a test run changes": any_of(
        r"\bsys\.(?:modules|argv|orig_argv|_getframe|_current_frames|gettrace|getprofile|flags|executable|meta_path)\b",
        r"\b(?:os\.)?(?:environb?|getenv|getppid)\b|\binspect\.(?:stack|currentframe|get\w{0,10}frames)\b",
        r"\btraceback\.(?:format|extract|walk|print)_stack\b|\bthreading\.(?:current_thread|main_thread|enumerate)\b",
        r"\bfaulthandler\b|\bgetLogger\(\)\.handlers\b|\b(?:root|logger)\.handlers\b|\bhasHandlers\(|\bwarnings\.filters\b",
        r"\bprocess\.uptime\b|\bperformance\.(?:now|timeOrigin|timing)\b|\bprocess_time(?:_ns)?\b|\b(?:extract_tb|tb_frame|tb_next|walk_tb)\b",
        r"\b__debug__\b|\bdebug_assertions\b|\bisatty\b|\bisTTY\b",
        r"\bgc\.get_(?:objects|referrers)\b|\b__main__\.|\bimport __main__|\b__builtins__\b|\bf_back\b|\bco_name\b",
        r"\bprocess\.(?:env|argv|argv0|execArgv|execPath|mainModule|title|ppid)\b|\brequire\.(?:main|cache)\b",
        r"\bmodule\.(?:parent|children)\b|\bimport\.meta\.(?:main|env|url)\b|(?:\)|\b[eE]rr(?:or)?|\be)\.stack\b|\bcaptureStackTrace\b|\bargv\[",
        r"\bos\.(?:Args|Getenv|LookupEnv|Environ|Executable|Getppid)\b|\bruntime\.(?:Callers?|Stack|FuncForPC)\b",
        r"\bdebug\.(?:Stack|ReadBuildInfo)\b|\bflag\.Lookup\b|\btesting\.\w",
        r"\benv::(?:args(?:_os)?|vars?(?:_os)?|current_exe)\b|\bthread::current\b|\bcfg!\(|#!?\[cfg(?:_attr)?\((?!test\))",
        r"\bBacktrace\b|\boption_env!|\bLocation::caller\b|\bcaller(?:_locations)?\(|\bENV\[|\bARGV\b|\$PROGRAM_NAME\b",
        r"\bSystem\.get(?:env|Property)\b|\bgetStackTrace\b|\bStackTrace\b|\bGetEnvironmentVariable\b|\$(?:PPID|BASH_SOURCE)\b",
        r"\b(?:type|isinstance)\(sys\.|\bsys\.std(?:in|out|err)\.(?:mode|name|buffer|encoding)\b|\bpath_importer_cache\b",
        r"\bgetallocatedblocks\b|\bactive_count\b|\bNumGoroutine\b|\blistenerCount\b|\bgetActiveResourcesInfo\b|\basync_hooks\b",
        r"\bstd(?:out|err|in)\.constructor\b",
        r"\bgetenv\(|\b(?:exec_)?proc/self\b|/proc/\b|\bpytest\b|\bunittest\b|\bjest\b|\bvitest\b",
    ),
    "reads tests, or its own text": any_of(
        r"['\"/](?:tests?|specs?|__tests__|testdata)[/\\.'\"]|\btest_\w{1,60}\.py\b",
        r"\.(?:test|spec)\.[cm]?[jt]sx?\b|_test\.go\b",
        r"\bgetsource(?:lines|file)?\b|\blinecache\b|\b__file__\b|\b__filename\b|\binclude_str!|\bgo:embed\b",
    ),
    "decides itself what it is equal to or worth": any_of(
        r"\b__(?:eq|ne|bool|hash|lt|le|gt|ge|contains|instancecheck|missing|subclasscheck|getattribute|index|class__?)__\b",
        r"\b(?:valueOf|toPrimitive|hasInstance|toJSON)\b|\bnew Proxy\b",
        r"\bimpl(?:<[^>\n]{0,80}>)? (?:Partial)?(?:Eq|Ord)\b",
        r"\bimpl(?:<[^>\n]{0,80}>)? Deref\b|\bdef ==|\bdef (?:eql\?|coerce)\b|\bequals\(Object\b|\bmock\.ANY\b|\bANY\b",
        r"\bfunc \([^)\n]{1,80}\) (?:Equal|Is|As|Format|GoString)\(|\btotal_ordering\b",
    ),
    "changes how a run ends or what others define": any_of(
        r"\batexit\b|\bon(?:_|)exit\b|\bat_exit\b|\bprocess\.(?:on|once|exitCode|reallyExit|kill|emit)\b|\bbeforeExit\b",
        r"\bexcepthook\b|\bsignal\.\w|\bos\.(?:kill|killpg|_exit|abort|dup2?|exec\w{1,3})\b|\bsyscall\.\w|\bset_hook\b",
        r"\bsetattr\(|\bdelattr\(|\bimportlib\b|\b__import__\b|\bglobals\(\)|\bvars\(|\bctypes\b|\bsettrace\b|\bsetprofile\b",
        r"\bgetattr\([^,\n]{1,80},[ \t]{0,4}(?:[^'\"\n]|['\"][^'\"\n]{0,40}['\"][ \t]{0,4}[+%])",
        r"\.__(?:dict|code|globals|class|doc)__\b",
        r"\brequire\([^)\n]{1,80}\)(?:[\w.]|\[[^\]\n]{1,80}\]){1,60}[ \t]{0,4}=(?!=)|\bdefineProperty\b",
        r"\bObject\.assign\(require\b|\.prototype\b",
        r"\bglobalThis\b|\bReflect\.\w|\bgo:linkname\b|\bunsafe\b|\bno_mangle\b|\blink_section\b|\bset_var\b|\bSetenv\b",
        r"\bNDEBUG\b|\b__assert_fail\b|\balias \[",
        r"#[ \t]{0,4}define[ \t]+(?:main|assert|strn?cmp|memcmp|if|return|exit|abort)\b",
        r"\brunpy\b|\bmodule_from_spec\b|\binstance_variable_set\b|\bdefine_method\b|\bclass_eval\b",
    ),
    "holds code or values that are not spelled out": any_of(
        r"\b(?:hashlib|(?:ck|md5|sha\d{0,3}|b2)sum|md5|sha\d{1,3}|crc32|adler32|blake2\w?|hexdigest|createHash|DefaultHasher|fnv)\b|\bhash\(",
        r"\b(?:base64|b64decode|a85decode|fromhex|unhexlify|rot13|codecs|zlib|marshal|pickle|atob|fromCharCode)\b",
        r"(?<![.\w])(?:eval|exec|compile)\(|\bnew Function\b|\bvm\.run\w{0,20}\b|\binstance_eval\b",
        r"(?:\\x[0-9a-fA-F]{2}){4}|\b(?:to|from)_bytes\b|\bfromCodePoint\b|\bmap\(chr\b|\bchr\((?:0x)?\d|\b0x[0-9a-fA-F]{6,40}\b",
    ),
}
LOOSER = any_of(
    r"\bAny\b|\bobject\b|\bcast\(|\bno_type_check\w{0,12}\b|\bTYPE_CHECKING\b|\bassert isinstance\b|\bTypeVar\b",
    r"\bany\b|\bunknown\b|\bnever\b|\bObject\b|\bFunction\b|\w!\.|\w!;|\bas [A-Z]\w{0,60}\b|\bdeclare\b|\bsatisfies\b",
    r"\binterface\{\}|\bdyn Any\b|\btransmute\b|\boverload\b|\bReturnType\b",
)
DECLARED = "says less about its types than before"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each file and kind of means that occurs more often than before. What moved between the files of the
    change doesn't count."""
    files = [f for f in patch.files if not (is_test_file(f.path) or is_test_data(f.path) or is_prose(f.path))]
    types = any(error.category is Category.TYPE for error in patch.errors)
    for why, words in (*MEANS.items(), *([(DECLARED, LOOSER)] if types else [])):
        gains = {file.path: _gain(file, words) for file in files}
        total = Counter[str]()
        for gain in gains.values():
            total.update(gain)
        for path, gain in gains.items():
            more = sorted(word for word, count in gain.items() if count > 0 and total[word] > 0)
            if more:
                yield GuardFinding(RULE, path, f"{why} ({', '.join(more)[:80]})", True)


def _gain(file: File, words: LazyPattern) -> Counter[str]:
    gain = _count(file.new, words)
    gain.subtract(_count(file.old, words))
    return gain


def _count(data: bytes | None, words: LazyPattern) -> Counter[str]:
    return Counter(match.group().strip()[:40] for match in words.finditer(plain(data or b"")))
