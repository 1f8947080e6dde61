// Configuration of openapi-ts, which makes src/generated; run by `make clients`.
export default {
  input: process.env.OPENAPI_DOCUMENT,
  output: { path: process.env.OUTPUT, module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
