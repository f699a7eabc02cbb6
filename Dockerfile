# One image for the API, the worker, the runner and the operator's commands: TypeScript is run as it is; only the workflows
# are bundled beforehand, for the sandbox they run in.
FROM node:24-slim
# git resolves commits for the API and clones for the runner.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
# No install script is needed: the native parts come ready-made in the packages.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY . .
RUN node bin/patchDriver.mjs && node src/main/bundleWorkflows.ts workflows.js
ENV SVC_WORKFLOW_BUNDLE=/app/workflows.js
RUN mkdir -p /var/lib/svc/objects && chown -R node:node /var/lib/svc
USER node
EXPOSE 8080 8081
CMD ["node", "src/main/api.ts"]
