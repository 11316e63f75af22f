import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { language } from './messages/language.ts';
import { openRouter } from './router.tsx';
import { sharedLink } from './shared-link.ts';
import { applyTheme } from './theme.ts';
import './theme.css';

applyTheme();
document.documentElement.lang = language;

const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (!(error instanceof TributaryError && error.is('unauthorized'))) return;
      // The link was revoked while its report was open: the reload shows the page for expired links.
      if (sharedLink()) location.reload();
      else router.askToSignIn();
    },
  }),
  defaultOptions: {
    // The SDK has already retried where a retry could help.
    queries: { retry: false, staleTime: 60_000, refetchOnWindowFocus: false },
  },
});
const router = openRouter(queryClient);

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the console.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router.router} />
    </QueryClientProvider>
  </StrictMode>,
);
