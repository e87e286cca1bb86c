(function () {
  var PAUSE = 2000, tag = "";
  var renew = function (text) {
    var next = new DOMParser().parseFromString(text, "text/html");
    var open = Array.from(document.querySelectorAll("details[open]")).map(function (details) {
      return details.firstElementChild.textContent;
    });
    var slider = document.getElementById("step");
    // A reader at the last step follows the search.
    var step = slider && slider.value !== slider.max ? slider.value : null;
    var inner = Array.from(document.querySelectorAll(".code")).map(function (code) { return code.scrollTop; });
    var at = [window.scrollX, window.scrollY];
    ["header", "main"].forEach(function (name) {
      document.querySelector(name).replaceWith(next.querySelector(name));
    });
    document.title = next.title;
    document.querySelectorAll("details").forEach(function (details) {
      details.open = open.indexOf(details.firstElementChild.textContent) !== -1;
    });
    slider = document.getElementById("step");
    if (slider && step !== null) slider.value = step;
    window.showPage();
    document.querySelectorAll(".code").forEach(function (code, index) { code.scrollTop = inner[index] || 0; });
    window.scrollTo({ left: at[0], top: at[1], behavior: "instant" });
  };
  var ask = function () {
    var selection = window.getSelection();
    // A selection would be lost.
    if (document.hidden || selection && !selection.isCollapsed) return setTimeout(ask, PAUSE);
    fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" }).then(function (answer) {
      document.body.classList.remove("stale");
      if (answer.status !== 200) return;
      return answer.text().then(function (text) {
        tag = answer.headers.get("ETag");
        renew(text);
      });
    }).catch(function () {
      document.body.classList.add("stale");
    }).then(function () { setTimeout(ask, PAUSE); });
  };
  setTimeout(ask, PAUSE);
})();
