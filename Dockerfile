# One image for the API, the workers and the migrations; the command chooses:
#   node dist/api/index.js                    the API (default)
#   node dist/workers/index.js                a worker
#   node dist/cli/index.js migrate up         the migrations, before a new version starts
# The target "backup" adds the programs that `backup create` and `backup restore` need. See docker-compose.yml.

FROM node:24-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs ./

FROM base AS build
RUN npm ci
COPY tsconfig.json .swcrc ./
COPY config config
COPY shared shared
COPY api api
COPY workers workers
COPY cli cli
COPY operator operator
COPY dev/bootstrap dev/bootstrap
COPY dev/docs dev/docs
# The licences of the packages, which an image that is passed on has to contain.
RUN npm run build \
  && mkdir docs \
  && node dist/dev/docs/index.js \
  && rm -r dist/dev

# What runs, without what Node.js 24 does not use: the Chromium for Node.js 20, the compiler, and font files of other formats
# and weights. The list of components is made from what is left.
FROM base AS dependencies
RUN npm pkg delete 'dependencies.@sparticuz/chromium' \
  && npm install --package-lock-only \
  && npm ci --omit=dev \
  && npm sbom --package-lock-only --omit=dev --sbom-format cyclonedx > sbom.cdx.json \
  && rm -rf node_modules/typescript \
  && find node_modules/@fontsource -type f ! -name '*-400-normal.woff' ! -name '*-[47]00-normal.woff2' \
    ! -name '*.json' ! -iname 'license*' -delete \
  && find node_modules/noto-sans-sc -type f ! -path "*_regular*" ! -path "*_bold*" ! -name package.json ! -name "LICENSE*" -delete

FROM base AS runtime
# tini collects what Chromium leaves behind and passes signals on. Chromium itself and its libraries are npm packages.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node /files
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/sbom.cdx.json sbom.cdx.json
COPY --from=build /app/dist dist
COPY --from=build /app/docs/third-party.md docs/third-party.md
COPY LICENSE LICENSE
# Templates are read from beside the sources.
COPY shared/documents/templates shared/documents/templates
COPY api/reference/page api/reference/page
COPY shared/companies/logo/fonts.conf shared/companies/logo/fonts.conf

# docker build --build-arg GIT_COMMIT=$(git rev-parse --short HEAD)
ARG GIT_COMMIT=
ENV GIT_COMMIT=$GIT_COMMIT NODE_ENV=production HOST=0.0.0.0 PORT=3000 FILES_DIR=/files
VOLUME /files
EXPOSE 3000
# The user "node", as a number: Kubernetes checks that it is not root.
USER 1000:1000
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-old-space-size=512", "--enable-source-maps", "dist/api/index.js"]
# A worker responds on WORKER_HEALTH_PORT, when that is set, as the API does on PORT.
HEALTHCHECK --interval=10s --timeout=8s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${Number(process.env.WORKER_HEALTH_PORT) || process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

FROM runtime AS backup
USER root
RUN apt-get update \
  && apt-get install -y --no-install-recommends mariadb-client \
  && rm -rf /var/lib/apt/lists/*
USER 1000:1000
HEALTHCHECK NONE
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps", "dist/cli/index.js", "backup"]
CMD ["--help"]

# The last target is the default.
FROM runtime AS service
