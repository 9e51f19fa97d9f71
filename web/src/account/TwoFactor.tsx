import {
  Badge,
  Button,
  Card,
  Code,
  CopyButton,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import {
  type AuthenticatorKey,
  confirmTwoFactor,
  createBackupCodes,
  disableTwoFactor,
  setUpTwoFactor,
} from '../api/auth.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { FormButtons } from '../components/FormButtons.tsx';
import { moveFocus } from '../components/moveFocus.ts';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { formatFieldError } from '../format.ts';
import { t } from '../texts/account.ts';

// Few people set up an app.
const QrCode = lazy(async () => ({ default: (await import('qrcode.react')).QRCodeSVG }));

/** The action that requires the password. */
type Purpose = 'setUp' | 'backupCodes' | 'turnOff';

const submitLabels = (): Record<Purpose, string> => ({
  setUp: t('continue'),
  backupCodes: t('createBackupCodes'),
  turnOff: t('turnOff'),
});

/** Sets up an authenticator app, makes backup codes, and turns both off. */
export function TwoFactor({ email, wasEnabled }: { email: string; wasEnabled: boolean }) {
  const [isEnabled, setIsEnabled] = useState(wasEnabled);
  const [purpose, setPurpose] = useState<Purpose>();
  const [key, setKey] = useState<AuthenticatorKey>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [status, setStatus] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const isIdle = purpose === undefined && key === undefined;

  /** Returns to the buttons, which leaves the focus at the heading. */
  function finish(message: string) {
    setPurpose(undefined);
    setKey(undefined);
    setStatus(message);
    moveFocus(heading.current, heading.current?.closest('section'));
  }

  function begin(next: Purpose) {
    setStatus('');
    setCodes(undefined);
    setPurpose(next);
  }

  async function run(password: string) {
    if (purpose === 'setUp') {
      setKey(await setUpTwoFactor(password));
      return setPurpose(undefined);
    }
    if (purpose === 'backupCodes') {
      setCodes(await createBackupCodes(password));
      return finish(t('yourEarlierBackupCodesNoLonger'));
    }
    await disableTwoFactor(password);
    setIsEnabled(false);
    return finish(t('twoFactorAuthenticationIsOff'));
  }

  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="two-factor">
      <Stack>
        <Group gap="xs">
          <Title order={2} size="h3" id="two-factor" ref={heading} tabIndex={-1}>
            {t('twoFactorAuthentication')}
          </Title>
          <Badge variant="outline" color={isEnabled ? 'cyan' : 'gray'}>
            {isEnabled ? t('on') : t('off')}
          </Badge>
        </Group>
        <Text size="sm">{t('signingInWithYourPasswordAlso')}</Text>
        {isIdle && (
          <Group>
            {isEnabled ? (
              <>
                <Button variant="default" onClick={() => begin('backupCodes')}>
                  {t('newBackupCodes')}
                </Button>
                <Button variant="default" onClick={() => begin('turnOff')}>
                  {t('turnOffTwoFactorAuthentication')}
                </Button>
              </>
            ) : (
              <Button onClick={() => begin('setUp')}>{t('setUpAuthenticatorApp')}</Button>
            )}
          </Group>
        )}
        {purpose && (
          <PasswordForm
            email={email}
            submitLabel={submitLabels()[purpose]}
            onSubmit={run}
            onCancel={() => finish('')}
          />
        )}
        {key && (
          <SetUp
            authenticator={key}
            onCancel={() => finish('')}
            onDone={() => {
              setIsEnabled(true);
              finish(t('twoFactorAuthenticationIsOn'));
            }}
          />
        )}
        {codes && <BackupCodes codes={codes} />}
        <Text role="status" size="sm">
          {status}
        </Text>
      </Stack>
    </Card>
  );
}

interface PasswordFormProps {
  readonly email: string;
  readonly submitLabel: string;
  readonly onSubmit: (password: string) => Promise<void>;
  readonly onCancel: () => void;
}

function PasswordForm({ email, submitLabel, onSubmit, onCancel }: PasswordFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } });
  const { mutate, isPending, error } = useMutation({ mutationFn: onSubmit });
  const message = messageOf(error);
  useFocusFirstError(element, error);
  return (
    <form ref={element} aria-labelledby="two-factor" onSubmit={form.onSubmit(({ password }) => mutate(password))}>
      <Stack maw={420}>
        {message && <ErrorAlert>{message}</ErrorAlert>}
        {/* Tells password managers which account the password belongs to. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          key={form.key('password')}
          {...form.getInputProps('password')}
          label={t('yourPassword')}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          autoFocus
          error={formatFieldError(t('password'), fieldErrorsOf(error)['password'])}
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
        />
        <FormButtons isPending={isPending} onCancel={onCancel}>
          {submitLabel}
        </FormButtons>
      </Stack>
    </form>
  );
}

interface SetUpProps {
  readonly authenticator: AuthenticatorKey;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** Shows the key, in a form that apps scan, and asks for the first code. */
function SetUp({ authenticator: { uri, key, backup_codes: codes }, onDone, onCancel }: SetUpProps) {
  const element = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } });
  const { mutate, isPending, error } = useMutation({ mutationFn: confirmTwoFactor, onSuccess: onDone });
  const message = messageOf(error);
  useFocusFirstError(element, error);
  return (
    <Stack>
      <Title order={3} size="h4" ref={heading} tabIndex={-1}>
        {t('1ScanThisCodeWithYour')}
      </Title>
      <Suspense fallback={<div style={{ height: 200 }} />}>
        <QrCode value={uri} size={200} marginSize={4} title={t('qrCodeForYourAuthenticatorApp')} />
      </Suspense>
      <Text size="sm">{t('orEnterThisKeyInThe')}</Text>
      <Code block aria-label={t('key')} style={{ whiteSpace: 'pre-wrap' }}>
        {key.replaceAll(/(.{4})(?=.)/g, '$1 ')}
      </Code>
      <Title order={3} size="h4">
        {t('2KeepYourBackupCodes')}
      </Title>
      <BackupCodes codes={codes} />
      <Title order={3} size="h4">
        {t('3EnterTheCodeThatThe')}
      </Title>
      <form ref={element} aria-label={t('enterTheCodeThatTheApp')} onSubmit={form.onSubmit(({ code }) => mutate(code))}>
        <Stack maw={420}>
          {message && <ErrorAlert title={t('couldntTurnOnTwoFactorAuthentication')}>{message}</ErrorAlert>}
          <TextInput
            key={form.key('code')}
            {...form.getInputProps('code')}
            label={t('code')}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            withAsterisk={false}
            error={formatFieldError(t('code'), fieldErrorsOf(error)['code'])}
          />
          <FormButtons isPending={isPending} onCancel={onCancel}>
            {t('turnOn')}
          </FormButtons>
        </Stack>
      </form>
    </Stack>
  );
}

function BackupCodes({ codes }: { codes: readonly string[] }) {
  const text = codes.join('\n');
  return (
    <Stack gap="xs">
      <Text size="sm">{t('eachOfTheseCodesSignsYou')}</Text>
      <Code block tabIndex={0} aria-label={t('backupCodes')}>
        {text}
      </Code>
      <div>
        <CopyButton value={text} timeout={4000}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? t('copied') : t('copyBackupCodes')}
            </Button>
          )}
        </CopyButton>
      </div>
    </Stack>
  );
}
