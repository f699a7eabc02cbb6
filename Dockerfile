# The console is built in a stage of its own: what builds it does not come along.
# One image for the API, the worker, the runner and the operator's commands: TypeScript is run as it is. Bundled beforehand are
# the workflows, for the sandbox they run in, and the process of a run, which would take long to load.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY patches patches
RUN npm ci --ignore-scripts
COPY clients clients
COPY console console
COPY tsconfig.json ./
RUN node console/build/build.ts

FROM node:24-slim
# git resolves commits for the API and clones for the runner.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git git-lfs openssh-client \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
COPY patches patches
COPY bin/fewerExports.mjs bin/
# No package needs its install script: the native parts come ready-made. Only our own mends are applied.
RUN npm ci --omit=dev --ignore-scripts && npm run mend && npm cache clean --force
COPY . .
COPY --from=console /app/console/dist console/dist
RUN node src/main/bundleWorkflows.ts workflows.js
# Bundled by the user who runs it, since what Node compiles is kept by user; then it is root's, as all else is.
RUN install -d -o node node_modules/.cache \
 && setpriv --reuid=node --regid=node --clear-groups node runner/bundleEphemeral.ts \
 && chown -R root:root node_modules/.cache
ENV SVC_WORKFLOW_BUNDLE=/app/workflows.js
RUN mkdir -p /var/lib/svc/objects && chown -R node:node /var/lib/svc
USER node
# 8081 and 8082 have the figures of the worker and of the API: not for everybody.
EXPOSE 8080 8081 8082
CMD ["node", "src/main/api.ts"]
