/** The product's mark. */
export const Mark = () => <img src="/favicon.svg" alt="" width={28} height={28} />;
