"""`heal serve`: the GitHub App itself: webhooks in, healing in the same process (OP-2, embedded)."""

from bot.cli.shell import EXIT_HEALTHY


def serve() -> int:
    """Run the App: take webhooks and heal. Settings come from the environment, see docs/operating.md."""
    import uvicorn

    from bot.app import create_app
    from bot.settings import read_settings

    settings = read_settings(need_app=True)
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, log_level="info", server_header=False)
    return EXIT_HEALTHY
