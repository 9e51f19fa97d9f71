import { Button } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { withTexts } from '../texts/texts.ts';

type Module<Props> = { readonly default: ComponentType<Props> };

/**
 * A button in whose place a component comes once somebody uses it: a menu or a form, whose scripts the page does not
 * wait for. The component shows the same button, and opens at once.
 *
 * @param load loads the component
 * @param label the text of the button
 */
export function onDemand<Props extends object>(
  load: () => Promise<Module<Props>>,
  label: () => string,
): ComponentType<Props> {
  // Kept when the page has moved on, so that a second menu is there at once.
  let loaded: ComponentType<Props> | undefined;
  const prepare = async () => {
    loaded = (await withTexts(load())).default;
  };
  // Whoever points at the button or reaches it by the keyboard is about to use it.
  const foresee = () => void prepare().catch(() => undefined);
  return function OnDemand(props: Props) {
    const [state, setState] = useState<'unused' | 'loading' | 'used'>('unused');
    const use = () => {
      setState(loaded ? 'used' : 'loading');
      // Without a network the button stays, and can be used again.
      prepare().then(
        () => setState('used'),
        () => setState('unused'),
      );
    };
    const Loaded = loaded;
    if (state === 'used' && Loaded) return <Loaded {...props} />;
    return (
      <Button
        variant="default"
        size="xs"
        aria-expanded={false}
        loading={state === 'loading'}
        onPointerEnter={foresee}
        onFocus={foresee}
        onClick={use}
      >
        {label()}
      </Button>
    );
  };
}
