/** A wrong article: "a invoice", "an user". */
export const wrongArticle =
  /\ba (?:(?!u(?:ser|s[ae]|ni|uid|rl))[aeiou]\w*|hour\w*|hr\b)|\ban (?!hour|hr\b|[aeio]|u(?!ser|s[ae]|ni|uid|rl))\w+/gi;
