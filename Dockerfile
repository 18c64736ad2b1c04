# The ledger as an image. The stages share one base, so that what is compiled in one runs in the other.
ARG NODE=node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0

FROM ${NODE} AS build
# SQLite is compiled at installation.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
# Installation would build the project, whose sources are not here yet: they come later, so that a change of them does not
# install everything again. Of all packages only SQLite needs its script.
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY console console
COPY examples examples
# What the build alone needs goes again, without the scripts, which would build anew.
RUN npm run build && npm prune --omit=dev --ignore-scripts

# Makes the certificates of a cluster, once; see docker-compose.yml.
FROM ${NODE} AS certificates
RUN apt-get update && apt-get install -y --no-install-recommends openssl && rm -rf /var/lib/apt/lists/*
COPY deploy/certificates.sh /usr/local/bin/certificates
ENTRYPOINT ["sh", "/usr/local/bin/certificates"]

FROM ${NODE} AS ledger
ENV NODE_ENV=production \
    STACKLEDGER_HOST=0.0.0.0 \
    STACKLEDGER_PORT=8642 \
    STACKLEDGER_STORE=sqlite:/data/ledger.db
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE NOTICE ./
# A new volume takes over whose this folder is.
RUN mkdir /data && chown node:node /data \
    && printf '#!/bin/sh\nexec node /app/dist/cli/main.js "$@"\n' > /usr/local/bin/stackledger \
    && chmod 755 /usr/local/bin/stackledger
USER node
VOLUME /data
EXPOSE 8642
# Read models are made at the start, which takes longer the larger the ledger is: that is what the start period is for.
HEALTHCHECK --interval=5s --timeout=3s --start-period=120s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.STACKLEDGER_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=64", "dist/cli/main.js", "serve"]
