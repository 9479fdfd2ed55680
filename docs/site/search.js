// Searches all pages of the site for words. The index, which make.mjs writes, is loaded when it is needed first.
'use strict';

(() => {
    const MOST_RESULTS = 40, AROUND = 60;
    const bar = document.querySelector('[role=search]'), field = bar.querySelector('input');
    const status = bar.querySelector('p'), list = bar.querySelector('ol'), pages = document.querySelector('nav details');

    let index = null;
    function sections() {
        index ??= flamelSite.bytesOf('search-index').then(bytes => JSON.parse(new TextDecoder().decode(bytes)).flatMap(
            ([address, page, parts]) => parts.map(([id, title, text]) => ({
                address: id ? `${address}#${id}` : address, page, title, text,
                lowTitle: title.toLowerCase(), lowPage: page.toLowerCase(), lowText: text.toLowerCase(),
            }))));
        return index;
    }

    // How well a section matches: each word has to be in it, and counts most in a title; 0: not at all.
    function scoreOf({ lowTitle, lowPage, lowText }, words) {
        let score = 0;
        for (const word of words) {
            const inTitle = lowTitle === word ? 100 : lowTitle.split(/[^\p{L}\p{N}]+/u).includes(word) ? 40 : lowTitle.includes(word) ? 20 : 0;
            const inPage = lowPage.includes(word) ? 10 : 0;
            const inText = Math.min(lowText.split(word).length - 1, 5);
            if (!inTitle && !inPage && !inText) return 0;
            score += inTitle + inPage + inText;
        }
        return score;
    }

    const element = (name, ...children) => {
        const made = document.createElement(name);
        made.append(...children);
        return made;
    };

    // The text around the first of the words, with all of them marked.
    function excerpt({ text, lowText }, words) {
        const first = Math.min(...words.map(word => lowText.indexOf(word)).filter(at => at >= 0));
        const from = first === Infinity || first < AROUND ? 0 : text.lastIndexOf(' ', first - AROUND) + 1;
        const until = text.length <= from + 3 * AROUND ? text.length : text.lastIndexOf(' ', from + 3 * AROUND);
        const shown = text.slice(from, until);
        const pattern = new RegExp(`(${words.map(word => word.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`, 'gi');
        const parts = shown.split(pattern).map((part, i) => i % 2 ? element('mark', part) : part);
        return element('span', from ? '… ' : '', ...parts, until < text.length ? ' …' : '');
    }

    function result(section, words) {
        const title = section.title === section.page ? section.page : `${section.title} - ${section.page}`;
        const link = element('a', element('b', title), excerpt(section, words));
        link.href = section.address;
        return element('li', link);
    }

    async function search() {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), asked = field.value;
        pages.hidden = words.length > 0;
        if (!words.length) {
            status.textContent = '';
            list.replaceChildren();
            return;
        }
        const matches = (await sections()).map(section => [scoreOf(section, words), section]).filter(([score]) => score > 0);
        if (field.value !== asked) return;
        matches.sort(([a], [b]) => b - a);
        status.textContent = matches.length > MOST_RESULTS ? `${MOST_RESULTS} of ${matches.length} results`
            : matches.length === 1 ? '1 result' : `${matches.length || 'No'} results`;
        list.replaceChildren(...matches.slice(0, MOST_RESULTS).map(([, section]) => result(section, words)));
    }
    const show = () => search().catch(error => { status.textContent = error.message; });

    field.addEventListener('input', show);
    list.addEventListener('click', () => {
        // A result on this page only scrolls: what was covered on a small screen is to be seen again.
        if (!matchMedia('(min-width: 1000px)').matches) {
            field.value = '';
            show();
        }
    });
    bar.addEventListener('keydown', event => {
        const links = [...list.querySelectorAll('a')], at = links.indexOf(document.activeElement);
        if (event.key === 'ArrowDown') (links[at + 1] ?? field).focus();
        else if (event.key === 'ArrowUp') (at < 0 ? links.at(-1) ?? field : links[at - 1] ?? field).focus();
        else if (event.key === 'Enter' && at < 0) links[0]?.click();
        else if (event.key === 'Escape') {
            field.value = '';
            field.focus();
            show();
        } else return;
        event.preventDefault();
    });
    // As on the page of the viewer, whose graphs have a search of their own.
    document.addEventListener('keydown', event => {
        if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        if (event.composedPath().some(node => node.matches?.('input, textarea, flamel-graph'))) return;
        event.preventDefault();
        field.focus();
    });
    bar.hidden = false;
})();
