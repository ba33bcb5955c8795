// Wide tables scroll: keys reach them.
addEventListener("load", () => {
  const reachable = () => document.querySelectorAll(".md-typeset__scrollwrap").forEach((one) => (one.tabIndex = 0));
  reachable();
  new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
});
