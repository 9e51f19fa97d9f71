// The pages of people who are signed in, and what else belongs to the app.

import './styles.css';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { pageData } from './app/first-requests.ts';
import { router } from './app/router.tsx';
import { render } from './render.tsx';
import { setReader, withTexts } from './texts/texts.ts';

const Offline = lazy(() => withTexts(import('./app/Offline.tsx')));

await setReader(pageData.session?.person);
render(
  pageData.isOffline ? (
    <Suspense>
      <Offline />
    </Suspense>
  ) : (
    <RouterProvider router={router} />
  ),
);
