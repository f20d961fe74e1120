// SPDX-License-Identifier: Apache-2.0
// What browser_test.py asks of a rendered page.

function shownPictures() {
  return [...document.querySelectorAll('svg.plot')].filter(one => one.getBoundingClientRect().height > 60);
}

// Texts of pictures that the border of the picture cuts off, or that lie on one another.
function badTexts() {
  const found = [];
  for (const picture of shownPictures()) {
    const frame = picture.getBoundingClientRect();
    const where = ' in ' + picture.getAttribute('aria-label').slice(0, 60);
    const texts = [...picture.querySelectorAll('text')].filter(one => one.textContent.trim());
    const boxes = texts.map(one => [one.textContent, one.getBoundingClientRect()]);
    boxes.forEach(([text, a], index) => {
      const wide = a.left < frame.left - 1 || a.right > frame.right + 1;
      const high = a.top < frame.top - 1 || a.bottom > frame.bottom + 1;
      if (wide || high) found.push('cut off: ' + text + where);
      for (const [other, b] of boxes.slice(index + 1)) {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const much = x > 1 && y > 0.3 * Math.min(a.height, b.height);
        if (much) found.push('overlap: ' + text + ' and ' + other + where);
      }
    });
  }
  return found;
}

// Of all texts the lowest contrast to the background of the page, and which text that is.
function lowestContrast() {
  const channel = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = colour => {
    const [red, green, blue] = colour.match(/[\d.]+/g).slice(0, 3).map(value => channel(Number(value) / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const paper = luminance(getComputedStyle(document.body).backgroundColor);
  let least = [99, ''];
  const kinds = 'p, li, th, td, summary, figcaption, h1, h2, h3, small, svg.plot text';
  for (const one of document.querySelectorAll(kinds)) {
    const style = getComputedStyle(one);
    const ink = luminance(one.namespaceURI.includes('svg') ? style.fill : style.color);
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < least[0]) least = [contrast, one.textContent.slice(0, 40)];
  }
  return least;
}

// Pixels of the smallest text in a picture, as it is scaled on the page.
function smallestText() {
  const sizes = shownPictures().flatMap(picture => {
    const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
    const texts = [...picture.querySelectorAll('text')];
    return texts.map(one => parseFloat(getComputedStyle(one).fontSize) * scale);
  });
  return Math.min(...sizes);
}
