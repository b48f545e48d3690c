# Alexandria without torch, with its model, as an ordinary user. See docs/install.md.
FROM python:3.13-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY configs configs
COPY alexandria alexandria
RUN python -m venv /opt/alexandria \
 && /opt/alexandria/bin/pip install . \
 && /opt/alexandria/bin/alexandria models install \
 && /opt/alexandria/bin/pip uninstall --yes pip

FROM python:3.13-slim
RUN useradd --create-home --uid 1000 reader \
 && install --directory --owner=reader /data /cache
COPY --from=build /opt/alexandria /opt/alexandria
ENV PATH=/opt/alexandria/bin:$PATH \
    ALEXANDRIA_STORE=/data \
    ALEXANDRIA_CACHE=/cache
USER 1000
WORKDIR /home/reader
VOLUME ["/data", "/cache"]
ENTRYPOINT ["alexandria"]
CMD ["--help"]
