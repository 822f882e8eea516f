"""Secrets where configuration, manifests, command lines and password files keep them; and what only looks like one."""

import time
from pathlib import Path

import pytest

from healing.logs.redaction import MASK, redact

MANIFESTS = {
    "block scalar": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: till\n"
    "stringData:\n  config.ini: |\n    [db]\n    word = SECRET\n",
    "folded": "kind: Secret\napiVersion: v1\ndata:\n  tls.key: >-\n    SECRET\n    SECRETmore\n",
    "value on the next line": "kind: Secret\ndata:\n  key:\n    SECRET\n",
    "flow": "apiVersion: v1\nkind: Secret\ndata: {user: bWU=, pin: SECRET}\n",
    "flow over lines": "kind: Secret\nstringData: {\n  pin: SECRET,\n}\n",
    "list item": "apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n  data:\n"
    "    pin: SECRET\n- kind: ConfigMap\n  data:\n    a: b\n",
    "data first in the item": "items:\n  - data:\n      pin: SECRET\n    kind: Secret\n",
    "same indentation": "manifests:\n  - apiVersion: v1\n    kind: Secret\n"
    "    stringData:\n      pin: SECRET # required\n",
    "quoted": "'kind': 'Secret'\n'data':\n  'pin': 'SECRET'\n",
    "comment between": "kind: Secret\n# by hand\ndata:\n  # the pin\n\n  pin: SECRET\n",
    "json": '{\n  "apiVersion": "v1",\n  "data": {\n    "pin": "SECRET"\n  },\n  "kind": "Secret"\n}\n',
    "json in a line": '{"apiVersion":"v1","data":{"pin":"SECRET"},"kind":"Secret","type":"Opaque"}\n',
    "escaped json": 'last-applied: "{\\"data\\":{\\"pin\\":\\"SECRET\\"},\\"kind\\":\\"Secret\\"}"\n',
    "diff": " apiVersion: v1\n kind: Secret\n data:\n-  pin: SECRET\n+  pin: SECRETnew\n",
    "tabs and windows": "kind: Secret\r\ndata:\r\n  pin: SECRET\r\n",
    "docker": "kind: Secret\ntype: kubernetes.io/dockerconfigjson\ndata:\n  .dockerconfigjson: SECRET\n",
    "short": "kind: Secret\nstringData:\n  a: SECRET\n  b: ok\n",
}
LINES = [
    # XML and properties
    '<add key="ApiSecret" value="SECRET" />',
    '<property name="password" value="SECRET"/>',
    '<property name="connection.password">SECRET</property>',
    '<entry key="mail.password">SECRET</entry>',
    "<password><![CDATA[SECRET]]></password>",
    "<Password>SECRET</Password>",
    '<server username="me" password="SECRET">',
    '<string name="api_key">SECRET</string>',
    "spring.datasource.password=SECRET",
    "spring.datasource.password = SECRET",
    "db.password: SECRET",
    "systemProp.https.proxyPassword=SECRET",
    "signing.password=SECRET",
    "keystore.pass=SECRET",
    'connectionString="Server=db;User Id=sa;Password=SECRET;Encrypt=true"',
    "jdbc:sqlserver://db:1433;user=sa;password=SECRET;",
    "jdbc:postgresql://db/heal?user=heal&password=SECRET&ssl=true",
    "amqp://guest:SECRET@mq:5672/%2f",
    "redis://:SECRET@cache:6379/0",
    # Command lines
    "+ mysql -u root -pSECRET shop",
    "mysqldump --password=SECRET shop",
    "+ sshpass -p SECRET ssh me@host",
    "sshpass -p 'SECRET' scp a b",
    "docker login -u me -p SECRET registry.example.com",
    "podman login --username me --password SECRET quay.io",
    "curl --user me:SECRET https://example.com",
    'curl -sS -u "me:SECRET" https://example.com',
    "wget --http-user=me --http-password=SECRET https://example.com",
    "PGPASSWORD=SECRET psql -h db",
    "redis-cli -h cache -a SECRET ping",
    "ldapsearch -x -D cn=admin -w SECRET -b dc=example",
    "htpasswd -b -c .htpasswd me SECRET",
    "openssl pkcs12 -in a.p12 -passin pass:SECRET -nodes",
    "keytool -list -keystore a.jks -storepass SECRET",
    "jarsigner -keypass SECRET -storepass SECRET a.jar key",
    "mvn deploy -Dgpg.passphrase=SECRET",
    "./gradlew publish -PossrhPassword=SECRET",
    "kubectl create secret generic till --from-literal=pin=SECRET",
    "az login --service-principal -u app -p SECRET --tenant t",
    "oc login https://example.com -u me -p SECRET",
    "vault login -method=userpass username=me password=SECRET",
    "twine upload -u __token__ -p SECRET dist/*",
    "sqlcmd -S db -U sa -P SECRET -Q x",
    "smbclient //nas/x -U me%SECRET",
    "gpg --batch --passphrase SECRET --sign a",
    "ansible-playbook -e ansible_become_pass=SECRET site.yml",
    "helm upgrade till . --set auth.password=SECRET",
    "echo SECRET | docker login -u me --password-stdin",
    "aws configure set aws_secret_access_key SECRET",
    'git -c http.extraheader="AUTHORIZATION: basic SECRET" fetch',
    "net use Z: \\\\nas\\x /user:me SECRET",
    "skopeo copy --src-creds me:SECRET docker://a docker://b",
    "mosquitto_pub -u me -P SECRET -t a",
    "lftp -u me,SECRET host",
    "sonar-scanner -Dsonar.login=SECRET",
    "setx API_KEY SECRET",
    "npm config set //registry.npmjs.org/:_authToken SECRET",
    "requirepass SECRET",
    "<bean><property name='dbPassword'><value>SECRET</value></property></bean>",
    # Environments and code
    "export NPM_AUTH=SECRET",
    "ENV API_TOKEN SECRET",
    "machine example.com login me password SECRET",
    "default login me password SECRET",
    "set -x PASSWORD SECRET",
    "secret_key_base: SECRET",
    "os.environ['GH_TOKEN'] = 'SECRET'",
    'config.password = "SECRET"',
    '{"username": "me", "password": "SECRET"}',
    '"pass": "SECRET"',
    "X-Api-Key: SECRET",
    "Private-Token: SECRET",
    "Proxy-Authorization: Basic SECRET",
    "?access_token=SECRET&x=1",
    "https://example.com/a?api_key=SECRET",
    "fernet_key = SECRET",
]
WORDS = ("S7ck-Qz9_pL2", "hT8!kd0%Wq", "Zm9vYmFyOnF1eHg1", "9f2c77ab01de4c55")
HASHES = [
    "me:$apr1$lZL6V/ci$eIMz/iKDkbtys/uU7LEK00",
    "me:{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=",
    "me:{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9gW6ph5",
    "me:rl.3StKT.4T8M",
    "me:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC",
]
LOOKALIKES = (Path(__file__).parent / "secret_lookalikes.txt").read_text().splitlines()


# EX-13
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("shape", list(MANIFESTS))
def test_the_values_of_a_kubernetes_secret_are_masked_in_every_shape_of_yaml_and_json(shape: str, word: str) -> None:
    masked = redact(MANIFESTS[shape].replace("SECRET", word))
    assert word not in masked
    assert MASK in masked
    assert masked.count("\n") == MANIFESTS[shape].count("\n")


# EX-13
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("line", LINES)
def test_a_secret_is_masked_where_configuration_and_command_lines_keep_it(line: str, word: str) -> None:
    masked = redact(f"before\n{line.replace('SECRET', word)}\nafter\n")
    assert word not in masked
    assert masked.startswith("before\n")
    assert masked.endswith("after\n")


# EX-13
@pytest.mark.parametrize("line", HASHES)
def test_the_hashes_of_password_files_are_masked(line: str) -> None:
    assert redact(f"{line}\n") == f"me:{MASK}\n"


# EX-13
@pytest.mark.parametrize("line", LOOKALIKES)
def test_placeholders_variables_and_talk_of_secrets_stay(line: str) -> None:
    text = line.replace("\\n", "\n") + "\n"
    assert redact(text) == text


# EX-13
def test_a_long_kubernetes_secret_is_masked_to_its_last_entry() -> None:
    entries = [f"  key-{number}: c2VjcmV0LXZhbHVl{number:05d}" for number in range(5_000)]
    masked = redact("\n".join(["kind: Secret", "data:", *entries, ""]))
    assert masked.splitlines()[2:] == [f"  key-{number}: {MASK}" for number in range(5_000)]


HOSTILE = {
    "a mapping that says its kind again and again": "kind: Secret\ndata:\n  a: b\n" * 20_000,
    "mappings in mappings": "".join(f"{' ' * (n % 300)}kind: Secret\n{' ' * (n % 300)}data:\n" for n in range(3_000)),
    "a value with a long gap": f"kind: Secret\ndata:\n  a: b{' ' * 200_000}c\n",
    "keys without values": f"kind: Secret\ndata: {{{'a: ' * 150_000}}}\n",
    "keys that run into each other": f"kind: Secret\ndata: {{{'a:b:' * 150_000}}}\n",
    "a key without an end": f"kind: Secret\ndata: {{{'a' * 500_000}}}\n",
}


# EX-13
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_manifests_take_no_more_time_than_their_length(text: str) -> None:
    before = time.process_time()
    redact(text)
    assert time.process_time() - before < 15  # what grows with the square takes minutes here
