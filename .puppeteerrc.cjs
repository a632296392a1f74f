// The browser comes from @sparticuz/chromium (or CHROME_PATH), so installing needs nothing but the npm registry.
module.exports = { skipDownload: true };
