import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { clientFor } from '../client.ts';
import { localMoment, longDay, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { language, languageTitles } from '../messages/language.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { Labelled } from '../parts/labelled.tsx';
import { Failed, Page, State } from '../parts/page.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { accountQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { modelNames } from '../search.ts';
import { languages, mailedPages, mailRhythms, rolesThatShare } from '../vocabulary.ts';
import { AlertMailForm } from './alert-mail.tsx';
import { creatorOf } from './creator.ts';
import { MailPreview } from './mail-preview.tsx';
import { type MailContent, membersQuery, type ReportMail, reportMailsQuery } from './queries.ts';

const route = getRouteApi('/p/$profileId/report-mails');

/** The reports that members receive by e-mail: create, preview and stop. */
export function ReportMails() {
  const { scope } = useReportScope();
  const { role, isHealthcare } = useMembership();
  const mails = useQuery(reportMailsQuery(scope.profileId));
  const mayShare = role !== undefined && rolesThatShare.includes(role);
  return (
    <Page title={t.pages.reportMails} about={t.reportMails.about}>
      <QueryResult query={mails}>
        {({ data, meta }) => (
          <div className="grid gap-5">
            {!meta.is_set_up && (
              <p role="status" className="border-problem border-l-2 pl-3">
                {t.reportMails.notSetUp}
              </p>
            )}
            {data.length === 0 ? (
              <Empty title={t.reportMails.none} />
            ) : (
              <ul aria-label={t.pages.reportMails} className="card grid gap-3 p-5">
                {data.map((mail) => (
                  <Line key={mail.id} mail={mail} mayShare={mayShare} />
                ))}
              </ul>
            )}
            {!isHealthcare && meta.is_set_up && <AlertMailForm />}
            {isHealthcare ? (
              <p className="text-soft">{t.reportMails.healthcare}</p>
            ) : (
              mayShare && meta.is_set_up && <NewMail />
            )}
          </div>
        )}
      </QueryResult>
    </Page>
  );
}

function Line({ mail, mayShare }: { readonly mail: ReportMail; readonly mayShare: boolean }) {
  const { profileId } = useReportScope().scope;
  const { data: account } = useQuery(accountQuery);
  const queryClient = useQueryClient();
  const onSuccess = () => queryClient.invalidateQueries(reportMailsQuery(profileId));
  const params = { id: mail.id };
  const stop = useMutation({ mutationFn: () => clientFor(profileId).deleteReportMail({ params }), onSuccess });
  const leave = useMutation({ mutationFn: () => clientFor(profileId).leaveReportMail({ params }), onSuccess });
  const send = useMutation({ mutationFn: () => clientFor(profileId).sendReportMail({ params }), onSuccess });
  const [isPreviewed, setIsPreviewed] = useState(false);
  const isMine = mail.recipients.some(({ user_id: id }) => id === account?.id);
  const title = t.reportMails.title(t.pages[mail.page], t.reportMails.every[mail.every]);
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 border-line border-b pb-3 last:border-b-0 last:pb-0">
      <div>
        {title}
        <span className="label block">
          {words(mail.model)}, {languageTitles[mail.language]}. {t.reportMails.next(localMoment(mail.next_at))}
        </span>
        <span className="label block">
          {mail.recipients.map(({ name, email }) => `${name} <${email}>`).join(', ') || t.reportMails.nobody}
        </span>
        {mail.created_by && <span className="label block">{t.team.createdBy(creatorOf(mail.created_by))}</span>}
        {mail.last && <Last last={mail.last} />}
      </div>
      <span className="flex flex-wrap gap-2">
        <button
          type="button"
          className="button"
          aria-label={t.reportMails.previewOf(title)}
          onClick={() => setIsPreviewed(true)}
        >
          {t.reportMails.showPreview}
        </button>
        {mayShare && mail.recipients.length > 0 && (
          <ConfirmButton
            label={t.reportMails.sendOf(title)}
            question={t.reportMails.sendAsk(title)}
            disabled={send.isPending}
            onConfirm={() => send.mutate()}
          >
            {t.reportMails.send}
          </ConfirmButton>
        )}
        {isMine && (
          <button type="button" className="button" disabled={leave.isPending} onClick={() => leave.mutate()}>
            {t.reportMails.leave}
          </button>
        )}
        {mayShare && (
          <ConfirmButton
            label={t.reportMails.stopOf(title)}
            question={t.reportMails.stopAsk(title)}
            disabled={stop.isPending}
            onConfirm={() => stop.mutate()}
          >
            {t.reportMails.stop}
          </ConfirmButton>
        )}
      </span>
      {send.isSuccess && (
        <p role="status" className="label w-full">
          {t.reportMails.sending}
        </p>
      )}
      <Failed error={send.error ?? stop.error ?? leave.error} />
      {isPreviewed && <MailPreview content={mail} onClose={() => setIsPreviewed(false)} />}
    </li>
  );
}

function Last({ last }: { readonly last: NonNullable<ReportMail['last']> }) {
  const { sent, waiting, failed, reason } = last;
  return (
    <span className="mt-1 block">
      <State tone={failed > 0 ? 'bad' : waiting > 0 ? 'plain' : 'good'}>
        {t.reportMails.last(longDay(last.date_from), longDay(last.date_to))}: {t.reportMails.sent(sent)}
        {waiting > 0 && `, ${t.reportMails.waiting(waiting)}`}
        {failed > 0 && `, ${t.reportMails.failed(failed)}`}
      </State>
      {reason && <span className="label block">{t.reportMails.reasons[reason]}</span>}
    </span>
  );
}

function contentOf(form: FormData): MailContent {
  const chosen = <Word extends string>(name: string, among: readonly Word[]) =>
    among.find((one) => one === form.get(name)) ?? (among[0] as Word);
  return {
    page: chosen('page', mailedPages),
    every: chosen('every', mailRhythms),
    model: chosen('model', modelNames),
    language: chosen('language', languages),
  };
}

function NewMail() {
  const { scope, model } = useReportScope();
  const { profileId } = scope;
  const { report } = route.useSearch();
  const { workspaceId = '' } = useMembership();
  const { data: account } = useQuery(accountQuery);
  const members = useQuery({ ...membersQuery(workspaceId), enabled: workspaceId !== '' });
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [previewed, setPreviewed] = useState<MailContent>();
  const create = useMutation({
    mutationFn: (chosen: FormData) =>
      clientFor(profileId).createReportMail({
        body: { ...contentOf(chosen), recipients: chosen.getAll('recipients').map(String) },
      }),
    onSuccess: () => queryClient.invalidateQueries(reportMailsQuery(profileId)),
  });
  return (
    <>
      <form
        ref={form}
        aria-labelledby="new-mail"
        className="card grid max-w-xl gap-4 p-5"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(new FormData(event.currentTarget));
        }}
      >
        <h2 id="new-mail">{t.reportMails.add}</h2>
        <Choice
          name="page"
          title={t.shared.report}
          initial={report}
          among={mailedPages}
          titleOf={(one) => t.pages[one]}
        />
        <Choice
          name="every"
          title={t.reportMails.when}
          about={t.reportMails.whenAbout}
          initial="week"
          among={mailRhythms}
          titleOf={(one) => t.reportMails.every[one]}
        />
        <Choice name="model" title={t.reportMails.model} initial={model} among={modelNames} titleOf={words} />
        <Choice
          name="language"
          title={t.reportMails.language}
          initial={language}
          among={languages}
          titleOf={(one) => languageTitles[one]}
        />
        <fieldset className="grid gap-1">
          <legend className="label">{t.reportMails.recipients}</legend>
          {members.data?.map(({ user_id: id, name, email }) => (
            <label key={id} className="flex min-h-6 items-center gap-2">
              <input type="checkbox" name="recipients" value={id} defaultChecked={id === account?.id} />
              <span>
                {name} <span className="label">{email}</span>
              </span>
            </label>
          ))}
          <p className="text-small text-soft">{t.reportMails.membersOnly}</p>
        </fieldset>
        <div className="flex flex-wrap gap-3">
          <button type="submit" className="button-main" disabled={create.isPending}>
            {t.reportMails.make}
          </button>
          <button
            type="button"
            className="button"
            onClick={() => form.current && setPreviewed(contentOf(new FormData(form.current)))}
          >
            {t.reportMails.showPreview}
          </button>
        </div>
        <Failed error={create.error} />
      </form>
      {previewed && <MailPreview content={previewed} onClose={() => setPreviewed(undefined)} />}
    </>
  );
}

function Choice<Word extends string>({
  name,
  title,
  about,
  initial,
  among,
  titleOf,
}: {
  readonly name: string;
  readonly title: string;
  readonly about?: string;
  readonly initial: Word;
  readonly among: readonly Word[];
  readonly titleOf: (word: Word) => ReactNode;
}) {
  return (
    <Labelled title={title} {...(about !== undefined && { about })}>
      {(id) => (
        <select id={id} name={name} className="field" defaultValue={initial}>
          {among.map((word) => (
            <option key={word} value={word}>
              {titleOf(word)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
