import "./ui/tokens.css";
import "./ui/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./data/queryClient.ts";
import { router } from "./routes.tsx";
import { reloadOnMissingChunk } from "./shell/Broken.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
addEventListener("storage", applyTheme);
reloadOnMissingChunk();

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
