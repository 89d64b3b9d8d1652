// Formulas in the pages are plain text, which GitHub shows as it is: h_f, R^(2/3), 2^-24. The site
// sets their indices and exponents as subscripts and superscripts, except in code.
(function () {
    const pattern = /(?<![\p{L}\p{N}_])(\p{L}{1,2}['′]?)_([\p{L}\p{Nd}]+)(?![\p{L}\p{Nd}_])|\^\(([^()]+)\)|\^([-−]?\p{N}+(?:\.\p{Nd}+)?)/gu;
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        const text = walker.currentNode;
        pattern.lastIndex = 0;
        if (!text.parentElement.closest("code, pre") && pattern.test(text.data)) {
            texts.push(text);
        }
    }
    for (const text of texts) {
        const pieces = [];
        let end = 0;
        for (const match of text.data.matchAll(pattern)) {
            const [whole, symbol, index, power, number] = match;
            const script = document.createElement(symbol ? "sub" : "sup");
            script.textContent = index ?? power ?? number;
            pieces.push(text.data.slice(end, match.index) + (symbol ?? ""), script);
            end = match.index + whole.length;
        }
        text.replaceWith(...pieces, text.data.slice(end));
    }
})();
