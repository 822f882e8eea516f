"""Rows for secrets that code passes by their position: `new PDO(dsn, "user", "…")`, `page.fill("#password", "…")`.

Rows as in `commands.py`, which uses them. In the first group the name of what is called says that a password stands at
that place, so that any string there is one, also a phrase or a word. In the second the name says less (`connect`), and
the string must look like a password.
"""

_GAP = r"\s{0,20}"
# A string in one of the notations of programming languages, an attribute, an element, a call.
_ARGUMENT = (
    r"(?:[bBrRuUN@$]?(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{0,200}`)(?:\.\w{1,20}\(\))?"
    r"|\{[^{}\n]{0,200}\}|[\w.$:>\[\]-]{1,80}(?:\[[^\[\]\n]{0,60}\]|\([^()\n]{0,80}\))?)"
)
_BEFORE = rf"{_ARGUMENT},{_GAP}"
_HAS_SIGN = r"(?=[^'\"\n]{0,60}[\d!@#%^&*+?])"
_OPENED = r"(?:[bBrRuUN@]|Some\(|String::from\(|\[\]byte\()?(?P<quote>\\?['\"`])"
_TEXT = r"(?P<word>(?:(?!(?P=quote))[^\n]){4,200})(?=(?P=quote))"


def _given(names: str, before: int) -> str:
    """The pattern of the string that comes after so many other arguments of a call of one of `names`."""
    return rf"(?P<head>(?:{names})\({_GAP}{_BEFORE * before}{_OPENED}){_TEXT}"


# What a program types into a field, and how the field is named.
_TYPES = (
    r"(?:fill(?:_in|Field|In)?|type(?:Text|Into)?|send_?[kK]eys|set_?[vV]alue|val|input(?:_text)?|setText|replaceText"
    r"|addValue|press_sequentially|pressSequentially|enterText)"
)
_FIELD = r"(?:pass(?:word|wd|wort|code|phrase)?|pwd|passwort|kennwort|wachtwoord|secret|otp)"

_BY_PLACE: tuple[tuple[str, str], ...] = (
    (
        "tials::new( tial::new( okens.basic( auth.basic( asic_auth( asicAuth( AuthProvider( asswordAuth authPassword( "
        "auth_password( UsernamePassword pw_set( simple_bind( simple_bind_s(",
        _given(
            r"Credentials?::new|Tokens\.basic|auth\.basic|asic_?[aA]uth|PlainTextAuthProvider|PasswordAuth\w{0,20}"
            r"|authPassword|(?<!ssh2_)auth_password|UsernamePassword(?:Auth\w{1,20}|Credentials?|Token)|pw_set|simple_bind(?:_s)?",
            1,
        ),
    ),
    (
        "login( Login( auth(",
        _given(
            r"(?:smtp|imap|pop3?|ftps?|sftp|mail\w{0,10}|server|srv|box|irc|irb|conn\w{0,10})(?:->|\.|:)(?:[lL]ogin|auth)",
            1,
        ),
    ),
    (
        "AndPassword( Certificate2( private_key( key_and_certificates( PKey:: AES.encrypt( AES.decrypt( SaslAuthData( "
        "OracleDB.connect( Oracle.connect( oracledb.connect( oci_connect( oci_pconnect( ource.getConnection(",
        _given(
            rf"EmailAndPassword(?=\({_GAP}['\"])|X509Certificate2|load_(?:pem|der|ssh)_private_key|key_and_certificates"
            r"|PKey::\w{2,4}\.new|AES\.(?:en|de)crypt|setSaslAuthData|(?:cx_Oracle|oracledb)\.connect|oci_p?connect|[sS]ource\.getConnection",
            1,
        ),
    ),
    # After an address, which is a user's name.
    (
        "login( Login( ogin_user( ignIn( ign_in(",
        rf"(?P<head>(?:[lL]og_?[iI]n(?:_user)?|[sS]ign_?[iI]n)\({_GAP}['\"][^\s'\"@]{{1,60}}@[^\s'\"@]{{1,80}}['\"],{_GAP}{_OPENED}){_TEXT}",
    ),
    # The password of a wireless network.
    (
        "WiFi wlan sta_if radio.connect(",
        _given(r"WiFi(?:Multi)?\.(?:begin|softAP|addAP)|(?:wlan|sta_if|sta|radio)\.connect", 1),
    ),
    (
        "PDO( mysqli( mysqli_connect( mysql_connect( mysql_pconnect( odbc_connect( Manager.getConnection( "
        "DBI->connect( "
        "DBI.connect( Sequelize( PlainAuth( ftp_login( ldap_bind( auth_password( imap_open( SshClient( SftpClient( "
        "ScpClient( ConnectionInfo( Sql.newInstance( Sql.withInstance( forURL( FTP.open( FTP.new( FTP( FTP_TLS( "
        "superuser( MySQLdb.connect( mysql.connect( mariadb.connect( Mysql.new( AndPassword(",
        _given(
            r"PDO|mysqli|mysqli?_p?connect|odbc_p?connect|Manager\.getConnection|DBI(?:->|\.)connect|Sequelize|PlainAuth"
            r"|ftp_login|ldap_bind|ssh2_auth_password|imap_open|(?:Ssh|Sftp|Scp)Client|PasswordConnectionInfo"
            r"|Sql\.(?:new|with)Instance|forURL|\bFTP(?:_TLS|\.open|\.new)?|create_?[sS]uperuser"
            r"|(?:MySQLdb|pymysql|mariadb)\.connect|Mysql\.new|EmailAndPassword",
            2,
        ),
    ),
    (
        "real_connect( AMQP .connect( SMTP.start(",
        _given(
            rf"real_connect|AMQP\w{{0,10}}Connection|\.connect(?=\({_GAP}{_ARGUMENT},{_GAP}2\d{{1,4}},)"
            rf"|SMTP\.start(?=\({_GAP}{_ARGUMENT},{_GAP}\d)",
            3,
        ),
    ),
    # The only argument.
    (
        "etPassword( etpassword( sh.Password( etSecret( eyPassword( orePassword( .password( .pwd( withPassword( "
        "edis:auth( "
        "edis.auth( edis->auth( red:auth(",
        _given(
            r"(?:[sS]et|with|use)_?\w{0,20}(?:[pP]assword|Secret)|(?:[kK]ey|[sS]tore)Password|ssh\.Password|\.(?:password|pwd)"
            r"|(?:[rR]edis|red)(?::|\.|->)auth",
            0,
        )
        # Without spaces, and no prompt: `read.password("Password:")`.
        + rf"(?<=[^:\s])(?=(?P=quote)(?:\.\w{{1,20}}\(\))?{_GAP}\))",
    ),
    # A call that keeps a value under a name.
    (
        "put( Put( putString( putExtra( set( etProperty( etOption( etString( etValue( etConfig( etenv( putenv( append( "
        "define( config( option( add( etItem( getOrDefault( property( env(",
        rf"(?P<head>\b(?:[pP]ut(?:String|Extra)?|[sS]et(?:Property|Option|Item|String|Value|Env|Config)?|(?:set|put)env|append|define|config|option"
        rf"|add|getOrDefault|property|env)\({_GAP}(?P<name>['\"`])[\w.:/-]{{0,60}}(?i:pass(?:word|wd|phrase|code)?|pwd)(?P=name),{_GAP}{_OPENED})"
        rf"(?P<word>(?=[^\s'\"`]*['\"`])(?:(?!(?P=quote))[^\n]){{4,200}})(?=(?P=quote))",
    ),
    # Java takes a password as an array of characters.
    (
        ".toCharArray()",
        rf"(?P<head>(?:,|(?:[pP]assword|[pP]wd|Protection|KeySpec)\w{{0,10}}\(){_GAP}\")(?P<word>(?!abc|ABC|012)[^\"\n]{{4,200}})"
        rf"(?=\"\.toCharArray\(\))",
    ),
    # A user and a password that are encoded together.
    (
        "btoa( 64encode( base64_encode( ncodeToString( encode64( Buffer( Buffer.from(",
        rf"(?P<head>(?:btoa|64encode|64_encode|[eE]ncodeToString|encode64|Buffer(?:\.from)?)\({_GAP}(?:\[\]byte\()?b?"
        rf"(?P<quote>['\"`])(?!data|https?)[\w.@-]{{1,60}}:)(?P<word>[^\s'\"`/$][^\s'\"`]{{3,200}})(?=(?P=quote))",
    ),
    # Ruby needs no brackets around the arguments.
    ("asic_auth~", rf"(?P<head>asic_auth {_BEFORE}{_OPENED}){_TEXT}"),
    # Text that is typed into a field: the field is an argument of the same call, or what is called before.
    (
        "fill(' fill(\" fillField( fillIn( fill_in( type(' type(\" type(screen type(get typeInto( nput_text( etValue( "
        "set_value(",
        rf"(?P<head>\b{_TYPES}\({_GAP}(?=[^\n,]{{0,80}}(?i:{_FIELD}))(?:[\w.]{{1,40}}\([^()\n]{{0,80}}\)|{_ARGUMENT}),{_GAP}"
        rf"(?:with:{_GAP})?{_OPENED}){_TEXT}",
    ),
    (
        "fill_in~",
        rf"(?P<head>\bfill_in ['\":][^'\"\n]{{0,40}}(?i:{_FIELD})[^'\"\n]{{0,20}}['\"]?, ?(?:with:|:with ?=>) ?"
        rf"{_OPENED}){_TEXT}",
    ),
    (
        ").fill( ).type( .typeText( .send_keys( .sendKeys( ).setValue( ).set_value( ).val( ).addValue( equentially( "
        ".enterText( typeText( replaceText(",
        rf"(?P<head>(?i:{_FIELD})[^\s;,]{{0,40}}[\"'/]?[^;,\n]{{0,20}}[)\]]\.(?:\w{{1,20}}\(\)\.|perform\(){{0,2}}{_TYPES}\({_GAP}{_OPENED}){_TEXT}",
    ),
    # What a browser driver's record shows of a typed password, with the field on a line beside it.
    (
        "-~fill(",
        rf"(?P<head>(?i:{_FIELD})\b[^\n]{{0,300}}\n(?:[^\n]{{0,200}}\n){{0,2}}?[ \t]{{0,20}}-(?: \w{{1,20}}:)? "
        rf"fill\({_OPENED})"
        rf"(?P<word>(?:(?!(?P=quote))[^\n]){{4,200}})(?=(?P=quote)\))",
    ),
    (
        "-~fill(",
        rf"(?P<head>- fill\({_OPENED})(?P<word>(?:(?!(?P=quote))[^\n]){{4,200}})"
        rf"(?=(?P=quote)\)[^\n]{{0,40}}\n[^\n]{{0,200}}=\\?[\"'](?i:{_FIELD})\b)",
    ),
    (
        "~into~",
        r"(?P<head>\b(?:[tT]yp(?:e|ed|ing)|[eE]nter(?:ed|ing)?|[fF]ill(?:ed|ing)?) (?:['\"]|(?=\S{0,60}[\d!#%&@])))"
        r"(?P<word>[^\s'\"]{4,200})"
        r"(?=['\"]? into[^\n]{1,80}[pP]assw)",
    ),
    # Text that a program types into a password field.
    (
        "yping~ nput~ ntering~ illing~",
        r"(?:[tT]yping|[iI]nput|[eE]ntering|[fF]illing)(?: text| password| value)? ['\"](?=[^\n]{1,120}[pP]assw)",
    ),
)
_BY_FORM: tuple[tuple[str, str], ...] = (
    # A call with a user's name and a password, and one with an address before them.
    (
        "uth( uth=( uth':~( redential( redentials( uthentication(",
        rf"(?:(?<!Plain)[aA]uth|[aA]uth=|[aA]uth': |[cC]redentials?|[aA]uthentication)\({_GAP}{_BEFORE}"
        rf"(?:{_BEFORE}){{0,2}}['\"]",
    ),
    (
        "ogin( ogon( _bind( ser( uthenticate(",
        rf"(?:[lL]og[io]n|[aA]uthenticate|_bind|(?:[cC]reate|[aA]dd)_?[uU]ser)\({_GAP}{_BEFORE}[bur]?['\"]{_HAS_SIGN}",
    ),
    (
        "onnect( onnection( __construct( _bind( _open(",
        rf"(?:[cC]onnect(?:ion)?|__construct|_bind|_open)\({_GAP}{_BEFORE}{_BEFORE}['\"]{_HAS_SIGN}",
    ),
    # A record as Scala and Kotlin print it, without quotes and names.
    (
        "ser( ogin( edentials( ccount( icAuth(",
        r"\b(?:\w{0,20}[uU]ser|\w{0,20}[lL]ogin|Credentials|Account|BasicAuth)\([\w.@-]{1,60}, ?"
        r"(?=[^\s,()]{0,60}\d)(?=[^\s,()]{0,60}[a-z])(?=[^\s,()]{0,60}[A-Z])(?=[^\s,()@.:/'\"]{8,64}[,)])",
    ),
    # A call that encrypts, signs or verifies with a key, which is its first argument or a later one.
    (
        "Fernet( Box( AESGCM( Poly1305( AES.new( mac.new( HMAC.new( KeySpec(",
        rf"(?:Fernet|Box|AESGCM|Poly1305|AES\.new|mac\.new|HMAC\.new|KeySpec)\({_GAP}b?['\"]",
    ),
    (
        "Hmac( hash_hmac( cipher( cipheriv( _encrypt( _decrypt( "
        "wt.sign( wt.verify( wt.encode( wt.decode( WT.encode( WT.decode(",
        rf"(?:Hmac|hash_hmac|[cC]ipher(?:iv)?|_encrypt|_decrypt|(?:wt|WT)\.(?:sign|verify|encode|decode))\({_GAP}{_BEFORE}"
        rf"(?:{_BEFORE})?b?['\"](?![RHE]S\d)",
    ),
    # A call that initializes a service's library with its key.
    (
        "earch( .init( .initialize( .start( .configure( .setup( lient( Api( API( Sdk( SDK(",
        rf"(?:[sS]earch|\.(?:init|initialize|start|configure|setup)|[cC]lient|A[pP][iI]|S[dD][kK])\({_GAP}(?:{_BEFORE})?['\"]"
        rf"(?=[0-9a-f]{{32,64}}['\"])",
    ),
)

CALLS = (*_BY_PLACE, *_BY_FORM)
