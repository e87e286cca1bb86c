"use strict";
(function () {
  var byId = function (id) { return document.getElementById(id); };
  var data = byId("step-data");
  if (data) {
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
      step.diff.forEach(function (part) {
        var element = document.createElement(tags[part[0]]);
        if (part[0] === 3) element.className = "fold";
        element.textContent = part[1];
        code.appendChild(element);
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
  }
  var units = byId("units");
  if (units) {
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
  }
})();
