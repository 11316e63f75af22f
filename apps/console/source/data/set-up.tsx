import { Page } from '../parts/page.tsx';
import { say } from '../messages/index.ts';
import { Checklist } from './checklist.tsx';

export function SetUp() {
  return (
    <Page title={say.pages.setUp} about={say.setUp.about}>
      <Checklist />
    </Page>
  );
}
