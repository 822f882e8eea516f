# Heal with the toolchains that its checks use, as a person without rights. Build: docker build --tag heal .
# Checks run in bubblewrap, which needs user namespaces: `docker run --rm heal doctor` says whether this engine gives
# them to a container, and what to do where it does not (compose.yml has the three options that most engines need).
FROM python:3.12-slim-bookworm AS build
COPY requirements.lock /src/
RUN python -m venv /opt/heal \
 && /opt/heal/bin/python -m pip install --no-cache-dir --no-deps --require-hashes --requirement /src/requirements.lock
COPY pyproject.toml README.md /src/
COPY bot /src/bot
COPY app.yml /src/app.yml
COPY handlers /src/handlers
COPY healing /src/healing
COPY lab /src/lab
RUN /opt/heal/bin/python -m pip install --no-cache-dir --no-deps --no-build-isolation --no-index /src

FROM python:3.12-slim-bookworm
# git and bubblewrap for Heal itself; the others for checks: compilers, Node, Go, Rust and what services in CI are made of.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
      bubblewrap build-essential ca-certificates cargo git golang-go make nodejs npm openssl postgresql redis-server \
      rust-clippy rustc rustfmt tini \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/heal /opt/heal
RUN useradd --create-home --uid 10001 heal \
 && install --directory --owner=heal --group=heal --mode=0711 /var/lib/heal
USER heal
ENV PATH=/opt/heal/bin:/usr/local/bin:/usr/bin:/bin \
    HEAL_DATA=/var/lib/heal \
    HEAL_HOST=0.0.0.0 \
    HEAL_PORT=8000 \
    PYTHONUNBUFFERED=1
VOLUME /var/lib/heal
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]
ENTRYPOINT ["tini", "--", "heal"]
CMD ["serve"]
