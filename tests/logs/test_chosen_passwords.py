"""Passwords that a person chose, which look like words, names or code: their place shows what they are."""

import pytest

from healing.logs.redaction import MASK, redact

LINE = "before\n{}\nafter\n"


def masked(text: str, word: str) -> bool:
    """Whether the redaction masks the `word` that replaces `{}` in `text`, and nothing on the lines beside it."""
    once = redact(LINE.format(text.replace("{}", word)))
    return word not in once and once.startswith("before\n") and once.endswith("\nafter\n")


def stays(text: str) -> bool:
    """Whether the redaction leaves `text` alone."""
    return redact(LINE.format(text)) == LINE.format(text)


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        'dsn = "host=pg1 port=5432 user=etl password={} dbname=dwh"',
        "Server=s1;Database=d;Uid=sa;Pwd={};",
        "[general]\n; the phone in the hall\nhost = 10.0.0.1\nsecret = {}",
        "pw: {} (same for all printers)",
        "db_password={}",
        "java -Djavax.net.ssl.keyStorePassword={} -jar a.jar",
        "DbConfig[user=sa, password={}, pool=4]",
        "redis:\n  password: {}\n  port: 6379",
        "[mail.example.com]:587 robot:{}",
        "pg1.example.com:5432:*:app:{}",
        "wachtwoord: {}",
    ],
)
def test_a_word_with_a_dot_is_a_password_where_no_code_can_be(text: str) -> None:
    assert masked(text, "Snoep.Winkel")


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "connect(user=user, password=settings.password, host=h)",
        "this.user=e.user;this.password=e.password;this.host=e.host",
        "password = self.edit.text",
        "  password: Schema.String",
        "password = db.password",
        "const { password } = request.body",
        "[options]\npassword = db_password",
        "[options]\nsecret = my-secret-name",
        "x = [a]\npassword = foo.bar",
    ],
)
def test_an_attribute_that_code_reads_a_password_from_stays(text: str) -> None:
    assert stays(text)


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "$pdo = new PDO($dsn, 'forum', '{}');",
        '$m = new mysqli("localhost", "forum", "{}", "forum");',
        'Credentials::new("robot@example.com".to_owned(), "{}".to_owned());',
        'DriverManager.getConnection(url, "hr", "{}");',
        'smtp.login(os.environ["MAIL_USER"], "{}")',
        'smtp.PlainAuth("", "robot", "{}", "smtp.example.com")',
        "ftp_login($conn, 'robot', '{}');",
        'ldap_bind($ds, "cn=admin,dc=example", "{}");',
        'ks.load(new FileInputStream("a.jks"), "{}".toCharArray());',
        'props.put("ssl.truststore.password", "{}");',
        'WiFi.begin("Home", "{}");',
        'btoa("robot:{}")',
        "http.basic_auth 'robot', '{}'",
        "await page.fill('#password', '{}');",
        'driver.find_element(By.ID, "password").send_keys("{}")',
        "cy.get('input[name=password]').clear().type('{}')",
        "fill_in 'Password', with: '{}'",
    ],
)
def test_the_string_that_a_call_takes_for_a_password_is_one_whatever_it_is_made_of(text: str) -> None:
    assert masked(text, "catsanddogs")
    assert stays(text.replace("'{}'", "password").replace('"{}"', "password").replace("robot:{}", "hello"))


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "page.fill('#search', 'passwords')",
        "page.fill('#username', 'catsanddogs')",
        "const password = await read.password('Password:', creds.password)",
        'char[] DIGITS = "0123456789abcdef".toCharArray();',
        "expect(screen.getByLabelText('Password')).toHaveValue('abcdef')",
    ],
)
def test_another_string_of_such_a_call_stays(text: str) -> None:
    assert stays(text)


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "session({ secret: '{}', resave: false })",
        "wpa_passphrase={}\nssid=Home",
        "WIFI_PSK={}",
        'psk="{}"',
        "wifi_password={}",
    ],
)
def test_several_words_are_a_secret_where_phrases_are_common(text: str) -> None:
    assert masked(text, "blue whale song")


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "secret: 'not set yet'",
        "secret: 'the shared secret'",
        "password: 'forgot it again'",
        "passphrase = a if b else c",
    ],
)
def test_words_about_a_secret_and_code_stay(text: str) -> None:
    assert stays(text)


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        'echo -n "{}" | cryptsetup luksOpen /dev/sdb1 data -',
        "printf '%s\\n%s\\n' {} {} | sudo passwd deploy",
        "(echo {}; echo {}) | smbpasswd -s -a eva",
        "echo {} | kinit svc@EXAMPLE.COM",
        '"{}" | docker login registry.example.com -u ci --password-stdin',
        'gh auth login --with-token <<< "{}"',
        "docker login -u ci --password-stdin <<EOF\n{}\nEOF",
    ],
)
def test_what_a_command_reads_a_password_from_is_masked(text: str) -> None:
    assert masked(text, "catsanddogs")


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        'echo "$PASS" | sudo -S ls',
        'echo "Installing cryptsetup" | tee log',
        'echo "root:x:0" | tee -a /etc/passwd',
        'echo "some content" | git hash-object -w --stdin',
        'echo "Starting the deployment" && cat pw | docker login --password-stdin',
    ],
)
def test_what_goes_to_another_command_stays(text: str) -> None:
    assert stays(text)


# EX-13
@pytest.mark.parametrize("sign", ["$", "$$", "\\$"])
@pytest.mark.parametrize(
    "parts", [("apr1", "wwHBc7FN", "F2pcs1bxm7RzZsry9SFOhS"), ("2y", "05", "c4WoMPo3SXsafkva.HHa6" * 2 + "QZWr7oboPiC")]
)
def test_a_hash_is_masked_with_its_signs_doubled_or_escaped(parts: tuple[str, ...], sign: str) -> None:
    once = redact(LINE.format(f"users=admin:{sign}{sign.join(parts)}"))
    assert MASK in once
    assert parts[-1] not in once


# EX-13
def test_in_single_quotes_a_dollar_is_a_character_of_the_password() -> None:
    assert masked("kubectl create secret generic db --from-literal=password='{}' -n prod", "S!B\\*d$zDsb")


# EX-13
def test_a_plain_word_is_a_password_below_the_head_of_a_section() -> None:
    assert masked("[options]\nadmin = eva\n\n# the database\ndb_user = shop\ndb_password = {}", "secretsauce")
    assert stays("db_password = secretsauce(x)\n[options]")


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        '    storePassword "{}"\n    keyAlias "upload"',
        'credentials { username "ci"; password "{}" }',
        '{:db {:user "app" :password "{}" :host "pg1"}}',
        '#define WIFI_PASSWORD "{}"',
    ],
)
def test_a_quoted_word_needs_no_sign_where_it_ends_a_statement(text: str) -> None:
    assert masked(text, "Gradle!Trap")
    assert masked(text, "catsanddogs")


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        'the password "catsanddogs" is wrong',
        'secret "db-creds" deleted',
        '#define SN_kx_rsa_psk    "KxRSA_PSK"',
        'Unexpected token "catsanddogs"',
    ],
)
def test_a_quoted_word_in_prose_and_a_label_that_repeats_its_name_stay(text: str) -> None:
    assert stays(text)


# EX-13
def test_a_table_of_machines_and_users_is_a_list_of_accounts_and_one_of_a_test_is_not() -> None:
    table = "| Host | User | Password |\n|------|------|----------|\n| sw-1 | admin | {} |"
    assert masked(table, "devpass1")
    assert masked(table, "catsanddogs")
    assert stays(table.replace("{}", "unknown"))
    assert stays("| username | password |\n|----------|----------|\n| admin | devpass1 |")


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "root password of the new box: {}",
        "wifi pw in the lab is {}",
        "A temporary password is generated for root@localhost: {}",
        "created user ci with password {}",
        "tool -u ci -p {} status",
        "pg1.example.com:5432:*:app:{}",
    ],
)
@pytest.mark.parametrize("word", ["toor99ab", "Kaas!Fondue"])
def test_a_digit_or_a_sign_inside_makes_a_word_a_password(text: str, word: str) -> None:
    assert masked(text, word)


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "Enter the password for user eva: ",
        "[sudo] password for ci: Sorry, try again.",
        "log in with password authentication",
        "the password of User#name is empty",
    ],
)
def test_prose_about_a_password_stays(text: str) -> None:
    assert stays(text)


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        'api:\n  encryption:\n    key: "{}"',
        "register => 4711:{}@sip.example.com/4711",
        "user alerts on >{} ~cache:* +@read",
        "ACL SETUSER alice on >{} ~cached:* +get",
        '"eva" * "{}" *',
        "d-i passwd/root-password password {}",
        'variable "admin_password" {\n  type    = string\n  default = "{}"\n}',
        "CREATE USER ci IDENTIFIED WITH sha256_password BY '{}'",
        'expect "password:"\nsend "{}\\r"',
    ],
)
def test_a_setting_that_only_holds_a_secret_is_masked(text: str) -> None:
    assert masked(text, "catsanddogs" if "encryption" not in text else "u4e8HSyDJ9juijInSFxzjY2gpe5dPsN0noAX42DwRBo=")


# EX-13
def test_a_uuid_is_a_key_in_a_constant_and_an_id_in_a_row() -> None:
    word = "fd497184-b8f8-9b8d-a117-6a5452668b40"
    assert masked("CYPRESS_RECORD_KEY: {}", word)
    assert stays(f"record_key: {word}")
    assert stays(f"IDEMPOTENCY_KEY={word}")


# EX-13
def test_a_number_behind_an_example_makes_it_a_password_and_a_digit_does_not() -> None:
    assert masked('password: "{}"', "mypass99")
    assert stays('password: "mypass1"')
    assert stays('password: "mypass123"')


# EX-13
@pytest.mark.parametrize(
    "text",
    [
        "STRIPE_PUBLISHABLE_KEY=pk_live_51" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5" * 2,
        "mailto:security@example.com?subject=Leaked%20password",
    ],
)
def test_a_publishable_key_and_an_address_of_mail_stay(text: str) -> None:
    assert stays(text)


# EX-13
def test_the_key_of_a_wallet_and_the_login_of_amazons_registry_are_masked() -> None:
    word = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
    assert redact(f"xprv{(word * 3)[:107]}\n") == f"{MASK}\n"
    assert redact(f"eyJwYXlsb2FkIjoi{word * 20}\n") == f"{MASK}\n"
