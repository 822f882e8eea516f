"""The manifest that GitHub makes an App from: app.yml, with the addresses of this Heal."""

import json

from bot.github.permissions import manifest

LONGEST_NAME = 34  # GitHub's own limit


def manifest_for(site: str, name: str) -> str:
    """As JSON. `site` is where GitHub and people reach Heal, without a slash at the end."""
    own = manifest()
    return json.dumps(
        {
            **own,
            "name": name[:LONGEST_NAME],
            "hook_attributes": {"url": f"{site}/webhook", "active": True},
            "redirect_url": f"{site}/setup/created",
            "callback_urls": [f"{site}/auth/callback"],
            "setup_on_update": False,
        }
    )
