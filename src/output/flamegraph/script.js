(function () {
  "use strict";
  var MARGIN = 10, LETTER = 7.25, NARROWEST = 0.1;
  var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
  var svg = (document.currentScript && document.currentScript.ownerSVGElement) || document.documentElement;
  var height = Number(svg.getAttribute("height")), drawn = Number(svg.getAttribute("width"));
  var part = function (id) { return svg.querySelector("#" + id); };

  // Places are shares of the whole: the window may have any width.
  var whole = drawn - 2 * MARGIN;
  var frames = Array.prototype.map.call(part("frames").children, function (box) {
    var rect = box.querySelector("rect"), told = box.querySelector("title").textContent;
    var line = told.indexOf("\n");
    return {
      box: box, rect: rect, text: box.querySelector("text"),
      name: told.slice(0, line), facts: told.slice(line + 1),
      start: (Number(rect.getAttribute("x")) - MARGIN) / whole,
      width: Number(rect.getAttribute("width")) / whole,
      row: Number(rect.getAttribute("y"))
    };
  });
  var all = frames[0], shown = all, width = drawn;
  var named = new Map();
  frames.forEach(function (frame) {
    if (!named.has(frame.name)) named.set(frame.name, []);
    named.get(frame.name).push(frame);
  });

  function label(name, pixels) {
    var fits = Math.floor((pixels - 6) / LETTER);
    if (fits < 3) return "";
    var own = name.search(/[([]/);
    var short = name.slice(name.slice(0, own < 0 ? name.length : own).lastIndexOf("/") + 1);
    var letters = Array.from(short);
    return letters.length <= fits ? short : letters.slice(0, fits - 1).join("") + "\u2026";
  }

  function draw() {
    var pixels = width - 2 * MARGIN, from = shown.start, to = shown.start + shown.width;
    // Starts and widths were rounded when they were written.
    var blur = 1e-6;
    frames.forEach(function (frame) {
      var end = frame.start + frame.width;
      var caller = frame.row < shown.row && frame.start <= from + blur && end >= to - blur;
      var inside = frame.row >= shown.row && frame.start >= from - blur && end <= to + blur;
      var start = caller ? 0 : (frame.start - from) / shown.width;
      var size = caller ? 1 : frame.width / shown.width;
      var visible = caller || (inside && size * pixels >= NARROWEST);
      frame.box.classList.toggle("hidden", !visible);
      frame.box.classList.toggle("caller", caller && frame !== shown);
      if (!visible) return;
      frame.rect.setAttribute("x", MARGIN + start * pixels);
      frame.rect.setAttribute("width", size * pixels);
      var text = label(frame.name, size * pixels);
      if (!frame.text && text) {
        frame.text = document.createElementNS(SVG, "text");
        frame.text.setAttribute("y", frame.row + 12);
        frame.box.appendChild(frame.text);
      }
      if (frame.text) {
        frame.text.setAttribute("x", MARGIN + start * pixels + 3);
        frame.text.textContent = text;
      }
    });
    back.classList.toggle("hidden", shown === all);
  }

  function zoom(frame) {
    shown = frame;
    draw();
  }

  // What frames span together; they come in the order of the tree, so that what is in one of them
  // comes right behind it.
  function span(some) {
    var sum = 0, outside = 0;
    some.forEach(function (frame) {
      if (frame.start < outside - 1e-9) return;
      sum += frame.width;
      outside = frame.start + frame.width;
    });
    return (sum * 100).toFixed(1) + "%";
  }

  function tell(frame) {
    var same = named.get(frame.name);
    var places = same.length > 1 ? "  (in " + same.length + " places: " + span(same) + ")" : "";
    part("details").textContent = frame.name + "  " + frame.facts + places;
  }

  function find(asked) {
    var test = null;
    if (asked) {
      try {
        var pattern = new RegExp(asked, "i");
        test = function (name) { return pattern.test(name); };
      } catch (error) {
        var plain = asked.toLowerCase();
        test = function (name) { return name.toLowerCase().indexOf(plain) >= 0; };
      }
    }
    var found = frames.filter(function (frame) {
      var matches = Boolean(test) && frame !== all && test(frame.name);
      frame.box.classList.toggle("found", matches);
      return matches;
    });
    answer.textContent = test ? found.length + " found, " + span(found) : "";
  }

  function fit() {
    svg.setAttribute("width", "100%");
    width = Math.max(300, svg.parentNode === document ? svg.clientWidth || drawn : drawn);
    // On a small screen there is no room beside the title.
    var small = width < 700, lower = small ? 52 : 0;
    svg.setAttribute("width", width);
    svg.setAttribute("height", height + lower);
    svg.setAttribute("viewBox", "0 0 " + width + " " + (height + lower));
    ["frames", "note"].forEach(function (id) {
      part(id).setAttribute("transform", "translate(0 " + lower + ")");
    });
    place(field, small ? MARGIN : width - 310, small ? 62 : 4);
    field.setAttribute("width", small ? width - 2 * MARGIN : 300);
    place(answer, small ? MARGIN : width - 310, small ? 106 : 44);
    place(back, width - (small ? 90 : 420), small ? 106 : 20);
    draw();
  }

  function place(element, x, y) {
    element.setAttribute("x", x);
    element.setAttribute("y", y);
  }

  function control(id, text) {
    var element = document.createElementNS(SVG, "text");
    element.setAttribute("id", id);
    element.textContent = text;
    svg.appendChild(element);
    return element;
  }

  var back = control("back", "reset zoom");
  back.setAttribute("class", "button hidden");
  var answer = control("answer", "");
  var field = document.createElementNS(SVG, "foreignObject");
  field.setAttribute("height", 26);
  var input = document.createElementNS(HTML, "input");
  input.setAttribute("type", "search");
  input.setAttribute("placeholder", "find functions (regular expression)");
  input.style.width = "100%";
  input.style.boxSizing = "border-box";
  input.style.font = "12px sans-serif";
  field.appendChild(input);
  svg.appendChild(field);

  input.addEventListener("input", function () { find(input.value); });
  back.addEventListener("click", function () { zoom(all); });
  frames.forEach(function (frame) {
    frame.rect.addEventListener("click", function () { zoom(frame); });
    frame.rect.addEventListener("mouseenter", function () { tell(frame); });
  });
  document.addEventListener("keydown", function (event) {
    var slash = event.key === "/" && event.target !== input;
    if (slash || (event.key === "f" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape") {
      input.value = "";
      find("");
      zoom(all);
    }
  });
  window.addEventListener("resize", fit);
  fit();
})();
