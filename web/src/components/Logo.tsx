/** The product's logo, which is decoration beside its name. */
export const Logo = () => <img src="/favicon.svg" alt="" width={28} height={28} />;
