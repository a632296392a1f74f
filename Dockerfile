# One image for the API, the workers and the migrations; the command chooses:
#   node dist/api/index.js                    the API (default)
#   node dist/workers/index.js                a worker
#   node dist/cli/index.js migrate up         the migrations, before a new version starts
# See docker-compose.yml for the environment of each.

FROM node:22-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs ./

FROM base AS build
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY config config
COPY shared shared
COPY api api
COPY operator operator
COPY workers workers
COPY cli cli
COPY dev dev
COPY bench bench
RUN npm run build && rm dist/.tsbuildinfo

FROM base AS dependencies
RUN npm ci --omit=dev && npm cache clean --force

FROM base
# tini collects what Chromium leaves behind and passes signals on. Chromium itself and its libraries are npm packages.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node /files
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
# Templates are read from beside the sources.
COPY shared/invoices/document/templates shared/invoices/document/templates
COPY shared/companies/logo/fonts.conf shared/companies/logo/fonts.conf

ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 FILES_DIR=/files
VOLUME /files
EXPOSE 3000
USER node
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-old-space-size=512", "--enable-source-maps", "dist/api/index.js"]
# A worker answers on WORKER_HEALTH_PORT, when that is set, as the API does on PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${Number(process.env.WORKER_HEALTH_PORT) || process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
