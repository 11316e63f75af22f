import * as Radix from '@radix-ui/react-dialog';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { t } from '../messages/index.ts';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly role?: 'dialog' | 'alertdialog';
}

/** The dialog of every page: closes with Escape, keeps the focus inside and returns it. */
export function Dialog({ title, isOpen, onClose, children, role = 'dialog' }: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(next) => !next && onClose()} modal={false}>
      <Radix.Portal>
        {/* The overlay and the modal mode of Radix write inline styles, which the content security policy blocks. */}
        <div aria-hidden="true" className="fixed inset-0 z-20 bg-ink/40" />
        <Radix.Content
          role={role}
          aria-modal="true"
          aria-describedby={undefined}
          className="fixed inset-x-4 top-[12vh] z-30 mx-auto grid max-h-[80vh] max-w-lg gap-3 overflow-y-auto rounded-lg border border-line bg-paper p-5 shadow-xl"
        >
          <Radix.Title className="font-semibold text-title">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ConfirmButtonProps {
  /** The label of the button and of the confirmation. */
  readonly children: ReactNode;
  readonly label?: string;
  readonly question: string;
  readonly about?: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button that asks for confirmation. */
export function ConfirmButton({ children, label, question, about, disabled, onConfirm }: ConfirmButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={disabled}
        {...(label && { 'aria-label': label })}
        onClick={() => setIsOpen(true)}
      >
        {children}
      </button>
      <Dialog title={question} role="alertdialog" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        {about && <p className="text-soft">{about}</p>}
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" className="button" onClick={() => setIsOpen(false)}>
            {t.common.cancel}
          </button>
          <button
            type="button"
            className="button-main"
            onClick={() => {
              setIsOpen(false);
              onConfirm();
            }}
          >
            {children}
          </button>
        </div>
      </Dialog>
    </>
  );
}
