import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Channel } from '@tributary/vocabulary';
import { type ReactNode, useState } from 'react';
import { clientFor } from '../client.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';
import type { handoffProviders } from '../vocabulary.ts';
import { ChatbotRequest } from './chatbot-request.tsx';
import { ConnectBank } from './connect-bank.tsx';

type FormChannel = Exclude<Channel, (typeof handoffProviders)[number]>;
interface FormProps {
  readonly profileId: string;
}

/** For providers without a consent page: connects the account with a key or token from its own settings. */
export function ConnectByForm({ profileId, channel }: FormProps & { readonly channel: FormChannel }) {
  switch (channel) {
    case 'store':
      return <Store profileId={profileId} />;
    case 'chatbot':
      return <Chatbot profileId={profileId} />;
    case 'bank_link':
      return <ConnectBank profileId={profileId} />;
  }
}

function useConnected(profileId: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [profileId, 'connections'] });
}

interface SubmitProps {
  readonly onSubmit: (form: FormData) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly action: string;
  readonly children: ReactNode;
}

function Submit({ onSubmit, isPending, error, action, children }: SubmitProps) {
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
      <Failed error={error} />
      <div>
        <button type="submit" className="button-main" disabled={isPending}>
          {action}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly title: string;
  readonly about?: string;
  readonly placeholder?: string;
  readonly isOptional?: boolean;
  readonly isSecret?: boolean;
}

function Field({ name, title, about, placeholder, isOptional, isSecret }: FieldProps) {
  return (
    <Labelled title={title} {...(about && { about })}>
      {(id) => (
        <input
          id={id}
          name={name}
          className="field w-full"
          type={isSecret ? 'password' : 'text'}
          autoComplete="off"
          placeholder={placeholder}
          required={!isOptional}
          {...(isSecret && { minLength: 8 })}
        />
      )}
    </Labelled>
  );
}

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** First the domain and token, then the secret with which the store signs its webhooks. */
function Store({ profileId }: FormProps) {
  const onSuccess = useConnected(profileId);
  const [isSigned, setIsSigned] = useState(false);
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      const token = textOf(form, 'token');
      const body = { shop_domain: textOf(form, 'domain'), ...(token && { access_token: token }) };
      return (await clientFor(profileId).createManualStore({ body })).data;
    },
    onSuccess,
  });
  const sign = useMutation({
    mutationFn: (form: FormData) =>
      clientFor(profileId).updateManualStore({
        params: { connectionId: create.data?.id ?? '' },
        body: { webhook_signing_id: textOf(form, 'signing') },
      }),
    onSuccess: () => {
      setIsSigned(true);
      return onSuccess();
    },
  });
  if (isSigned || create.data?.has_signing_id) return <p role="status">{t.connect.connected}</p>;
  if (create.data)
    return (
      <Submit onSubmit={sign.mutate} isPending={sign.isPending} error={sign.error} action={t.connect.save}>
        <p role="status">{t.connect.storeAdded}</p>
        <Field name="signing" title={t.connect.signing} about={t.connect.signingAbout} isSecret />
      </Submit>
    );
  return (
    <Submit onSubmit={create.mutate} isPending={create.isPending} error={create.error} action={t.connect.connect}>
      <Field name="domain" title={t.connect.shopDomain} placeholder={t.connect.domainExample} />
      <Field name="token" title={t.connect.token} about={t.connect.tokenAbout} isOptional isSecret />
    </Submit>
  );
}

function Chatbot({ profileId }: FormProps) {
  const onSuccess = useConnected(profileId);
  const save = useMutation({
    mutationFn: (form: FormData) =>
      clientFor(profileId).saveChatbotConnection({ body: { api_key: textOf(form, 'key') } }),
    onSuccess,
  });
  if (save.isSuccess)
    return (
      <>
        <p role="status">{t.connect.chatbotConnected}</p>
        <ChatbotRequest profileId={profileId} />
      </>
    );
  return (
    <Submit onSubmit={save.mutate} isPending={save.isPending} error={save.error} action={t.connect.connect}>
      <Field name="key" title={t.connect.apiKey} about={t.connect.chatbotAbout} isSecret />
    </Submit>
  );
}
