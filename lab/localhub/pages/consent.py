"""The pages to authorize an App, to register one from a manifest, and to install one."""

from urllib.parse import urlencode, urlsplit

from starlette.responses import RedirectResponse, Response

from lab.localhub import apps, manifests, oauth
from lab.localhub.pages.site import HEADERS, Visit, shown
from lab.localhub.state import Account, App, Refused

ASKED = ("client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method")


def authorize(visit: Visit) -> Response:
    """Asks for consent."""
    app, redirect = _asked(visit)
    fields = {name: visit.query.get(name, "") for name in ASKED}
    answer = shown(visit, "authorize.html", app=app, fields=fields)
    return _lets_forms_lead_to(answer, redirect)


def authorized(visit: Visit) -> Response:
    """Handles the person's decision: redirects back with a code, or with an error."""
    app = oauth.app_of(visit.hub, visit.text("client_id"))
    redirect, state = oauth.redirect_of(app, visit.text("redirect_uri")), visit.text("state")
    if visit.text("consent") != "yes":
        return _back(redirect, {"error": "access_denied", "state": state})
    if visit.text("code_challenge") and visit.text("code_challenge_method") != "S256":
        raise Refused(422, "The code_challenge_method has to be S256.")
    code = oauth.consent(visit.hub, _somebody(visit).login, app, redirect, visit.text("code_challenge"))
    return _back(redirect, {"code": code, "state": state})


def new_app(visit: Visit) -> Response:
    """Shows what a manifest requests; the form comes from another site, so nothing is created yet."""
    manifest = manifests.read(visit.text("manifest"))
    values = {
        "raw": visit.text("manifest"),
        "state": visit.query.get("state", ""),
        "owner": visit.params.get("org", ""),
    }
    answer = shown(visit, "new_app.html", manifest=manifest, **values)
    return _lets_forms_lead_to(answer, manifest["redirect_url"])


def registered(visit: Visit) -> Response:
    """Registers the App; redirects back with the code for its secrets."""
    manifest = manifests.read(visit.text("manifest"))
    name = visit.text("name").strip() or str(manifest["name"])
    code = manifests.register(visit.hub, visit.text("owner") or _somebody(visit).login, name, manifest)
    return _back(manifest["redirect_url"], {"code": code, "state": visit.text("state")})


def install(visit: Visit) -> Response:
    """Shows the accounts on which an App can be installed."""
    app = _named(visit)
    you = visit.you
    owners = {repo.owner.login for repo in visit.hub.repos.values() if you and visit.hub.may(repo, you.login, "admin")}
    on = {one.account.login for one in visit.hub.installations.values() if one.app_id == app.id}
    return shown(visit, "install.html", app=app, owners=sorted(owners), on=on)


def installed(visit: Visit) -> str:
    """Installs the App on an account."""
    app, login, you = _named(visit), visit.text("account"), _somebody(visit)
    mine = [repo for repo in visit.hub.repos.values() if repo.owner.login == login]
    if not any(visit.hub.may(repo, you.login, "admin") for repo in mine):
        raise Refused(403, f"{you.login} may not install Apps on {login}.")
    apps.install(visit.hub, app, login)
    return f"/apps/{app.slug}/installations/new"


def _asked(visit: Visit) -> tuple[App, str]:
    app = oauth.app_of(visit.hub, visit.query.get("client_id", ""))
    return app, oauth.redirect_of(app, visit.query.get("redirect_uri", ""))


def _named(visit: Visit) -> App:
    found = visit.hub.app_by_slug(visit.params["slug"])
    if found is None:
        raise Refused(404, "Not Found")
    return found


def _somebody(visit: Visit) -> Account:
    you = visit.you
    if you is None:
        raise Refused(403, "Nobody is chosen.")
    return people_only(you)


def people_only(account: Account) -> Account:
    """Returns the account. Raises Refused(403) for a bot."""
    if account.type != "User":
        raise Refused(403, "Only a person can do this.")
    return account


def _back(address: str, fields: dict[str, str]) -> Response:
    joined = "&" if urlsplit(address).query else "?"
    return RedirectResponse(f"{address}{joined}{urlencode(fields)}", 303, HEADERS)


def _lets_forms_lead_to(answer: Response, address: str) -> Response:
    """Allows forms to redirect to the address: browsers apply the page's `form-action` policy to redirects too."""
    parts = urlsplit(address)
    policy = HEADERS["Content-Security-Policy"]
    answer.headers["Content-Security-Policy"] = policy.replace(
        "form-action 'self'", f"form-action 'self' {parts.scheme}://{parts.netloc}"
    )
    return answer
