import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { formatFieldError } from '../format.ts';
import { t } from '../texts/components.ts';

interface NewPasswordProps {
  readonly label: string;
  /** The account that the password belongs to. */
  readonly email: string;
  /** What is wrong with the password. */
  readonly error?: string;
  /** What connects the field with its form. */
  readonly input: PasswordInputProps;
}

/** The field `password` of a form, for a new one. */
export const NewPasswordInput = ({ label, email, error, input }: NewPasswordProps) => (
  <>
    {/* Tells password managers which account the password belongs to. */}
    <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
    <PasswordInput
      {...input}
      label={label}
      description={t('atLeast10CharactersWithoutYour')}
      name="password"
      autoComplete="new-password"
      minLength={10}
      required
      withAsterisk={false}
      error={formatFieldError(t('password'), error)}
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
    />
  </>
);
