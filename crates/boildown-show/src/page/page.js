"use strict";
(function () {
  var byId = function (id) { return document.getElementById(id); };
  var copyByHand = function (text) {
    var area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  var showCopies = function () {
    document.querySelectorAll("[data-copy]").forEach(function (button) {
      var from = byId(button.dataset.copy), name = button.textContent, text = from.textContent;
      if (from.href) {
        try {
          text = decodeURIComponent(from.href.slice(from.href.indexOf(",") + 1));
        } catch (error) {
          return;
        }
      }
      button.hidden = false;
      button.addEventListener("click", function () {
        var done = function () {
          button.textContent = "Copied";
          setTimeout(function () { button.textContent = name; }, 1500);
        };
        if (!navigator.clipboard) {
          copyByHand(text);
          return done();
        }
        navigator.clipboard.writeText(text).catch(function () { copyByHand(text); }).then(done);
      });
    });
  };
  var showSteps = function () {
    var data = byId("step-data");
    if (!data) return;
    var steps = JSON.parse(data.textContent);
    var slider = byId("step"), about = byId("step-about"), code = byId("step-diff");
    var tags = ["span", "del", "ins", "span"];
    var number = function (value) { return value.toLocaleString("en-US"); };
    var show = function () {
      var step = steps[+slider.value];
      var parts = ["step " + step.n, number(step.bytes) + " bytes"];
      if (step.tokens !== null) parts.push(number(step.tokens) + " tokens");
      parts.push("test " + number(step.test), step.time);
      if (step.pass) parts.push("pass " + step.pass);
      if (step.diff) parts.push("compared with step " + step.from);
      about.textContent = parts.join(" · ");
      slider.setAttribute("aria-valuetext", parts.slice(0, 2).join(", "));
      code.textContent = "";
      if (!step.diff) {
        code.textContent = step.n === 0 ? "This is the input." : "Only the size of this step is stored.";
        return;
      }
      var kind = null, element = null;
      step.diff.forEach(function (part) {
        if (part[0] !== kind || kind === 3) {
          kind = part[0];
          element = document.createElement(tags[kind]);
          if (kind === 3) element.className = "fold";
          code.append(element);
        }
        var text = part[1];
        if (part[2]) {
          text = document.createElement("i");
          text.className = part[2];
          text.textContent = part[1];
        }
        element.append(text);
      });
    };
    var move = function (by) {
      slider.value = +slider.value + by;
      show();
    };
    slider.addEventListener("input", show);
    byId("step-back").addEventListener("click", function () { move(-1); });
    byId("step-on").addEventListener("click", function () { move(1); });
    document.querySelector(".stepper").hidden = false;
    show();
  };
  var showUnits = function () {
    var units = byId("units");
    if (!units) return;
    var box = byId("unit-about"), rows = document.querySelectorAll(".reasons [data-from]"), on = null;
    units.addEventListener("click", function (event) {
      var unit = event.target.closest("[data-u]");
      if (!unit) return;
      if (on) on.classList.remove("on");
      on = unit;
      on.classList.add("on");
      var at = +unit.dataset.u;
      box.hidden = false;
      box.textContent = "";
      for (var index = 0; index < rows.length; index++) {
        var row = rows[index];
        if (+row.dataset.from > at || at > +row.dataset.to) continue;
        var names = ["", "without it: ", "the candidate lacked: ", "and ended with: "];
        var cells = row.closest("tr").children;
        for (var cell = 1; cell < cells.length; cell++) {
          if (!cells[cell].textContent) continue;
          var line = document.createElement("div");
          line.append(names[cell], cells[cell].firstElementChild ? cells[cell].firstElementChild.cloneNode(true) : cells[cell].textContent);
          box.append(line);
        }
        return;
      }
      box.textContent = "It is not in the table, which holds the first units only.";
    });
  };
  window.showPage = function () {
    showCopies();
    showSteps();
    showUnits();
  };
  window.showPage();
})();
